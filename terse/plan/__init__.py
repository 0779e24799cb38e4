"""The checked execution plan: data, choice, execution, gate and trace."""
