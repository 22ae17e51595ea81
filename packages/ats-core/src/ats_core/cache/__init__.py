"""The corpus between two calls: fetched, kept in a file, mapped, and told fresh from stale."""
