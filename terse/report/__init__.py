"""One file per output. A report prints facts; how they were found is not its business."""
