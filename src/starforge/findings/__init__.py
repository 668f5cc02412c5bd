"""Findings: everything a check has to say about an experiment."""

from starforge.findings.model import Finding, Location, Severity
from starforge.findings.nearest import nearest
from starforge.findings.rule import Rule, all_rules, rule

__all__ = ["Finding", "Location", "Rule", "Severity", "all_rules", "nearest", "rule"]
