"""Report: an Exploration as one html file that a person enjoys."""

from explorer.report.page import render_report

__all__ = ["render_report"]
