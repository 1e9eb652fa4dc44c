// Who uses a dataset
// Methods and models that are trained on a dataset or benchmark, or evaluated on it.
// name (string): the dataset or benchmark, by any of its names
// :param name => "GLUE"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (d:Entity)
WHERE any(name IN d.names WHERE toLower(name) = toLower($name))
MATCH (x)-[r:TRAINED_ON|EVALUATES_ON]->(d)
RETURN d.name AS dataset, type(r) AS use, x.name AS name, r.belief AS belief, r.papers AS papers
ORDER BY dataset, use, belief DESC, papers DESC, name, r.id
LIMIT $limit;
