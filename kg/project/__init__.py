"""Project: the assembled graph in the stores and formats that people use."""
