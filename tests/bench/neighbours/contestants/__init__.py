"""The programs that are compared. Each module describes how one of them is used, at the best setting its documentation names."""
