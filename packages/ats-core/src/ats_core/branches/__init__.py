"""The rankers, one a file. Each is a function of query, index, scope and limit, with a total order."""
