"""What is measured and not tested: times and sizes of one machine. `make bench` prints them."""
