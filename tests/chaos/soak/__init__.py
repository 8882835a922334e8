"""Soaks: real processes and servers under seeded blows for minutes, and every effect judged afterwards."""
