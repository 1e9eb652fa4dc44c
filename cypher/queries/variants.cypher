// Versions and sizes of X
// What is a version, size or split of X by its name, directly or through another, with the number
// of papers that mention it and of the figures that papers report of it or on it.
// name (string): any entity X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH way = (v:Entity)-[:VARIANT_OF*1..3]->(x)
WITH v, length(way) AS steps
OPTIONAL MATCH (r:Result)-[:OF|ON]->(v)
RETURN v.name AS variant, v.type AS type, steps, v.papers AS papers, count(DISTINCT r) AS figures
ORDER BY steps, papers DESC, variant, type
LIMIT $limit;
