"""Fusion methods, one a file: rankings in, one ranking with the contribution of each out."""
