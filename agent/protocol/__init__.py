"""The words every room speaks: frozen structs, closed unions and the error tree."""
