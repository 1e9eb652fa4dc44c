// What builds on X
// Everything that builds on X, directly or through up to five steps, with the way from it to X.
// name (string): the method, model, dataset or benchmark X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH way = (d:Entity)-[:BUILDS_ON*1..5]->(x)
WITH d, length(way) AS steps, [n IN nodes(way) | n.name] AS names,
     reduce(weakest = 1.0, r IN relationships(way) |
       CASE WHEN r.belief < weakest THEN r.belief ELSE weakest END) AS belief
RETURN d.name AS descendant, d.type AS type, steps, belief, names AS way
ORDER BY steps, belief DESC, descendant, reduce(text = '', name IN way | text + ' > ' + name)
LIMIT $limit;
