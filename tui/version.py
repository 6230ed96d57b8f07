"""The version, in the one place that packaging and every face read."""

VERSION = "0.1.0"
