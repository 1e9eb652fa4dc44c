// Lineage of X
// What X builds on, what that builds on, and so on, up to five steps, with the way there. The
// belief of a way is that of its weakest step.
// name (string): the method, model, dataset or benchmark X, by any of its names
// :param name => "BetaNet"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH way = (x)-[:BUILDS_ON*1..5]->(a:Entity)
WITH a, length(way) AS steps, [n IN nodes(way) | n.name] AS names,
     reduce(weakest = 1.0, r IN relationships(way) |
       CASE WHEN r.belief < weakest THEN r.belief ELSE weakest END) AS belief
RETURN a.name AS ancestor, a.type AS type, steps, belief, names AS way
ORDER BY steps, belief DESC, ancestor, reduce(text = '', name IN way | text + ' > ' + name)
LIMIT $limit;
