// Picture: what surrounds X
// X and everything that papers state about it.
// name (string): any entity X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most relationships to show
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH tie = (x)-[r:EVALUATES_ON|IMPROVES_OVER|BUILDS_ON|TRAINED_ON|APPLIES_TO|COMPARED_WITH|PART_OF]-()
RETURN tie
ORDER BY r.belief DESC, r.papers DESC, r.id
LIMIT $limit;
