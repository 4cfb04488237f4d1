"""Logs of evaluation runs → what errbar computes with. One file per format."""
