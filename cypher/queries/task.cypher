// What a task has
// Methods, models, datasets and benchmarks that are made for a task or used on it.
// task (string): the task, by any of its names
// :param task => "parsing"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (t:Task)
WHERE any(name IN t.names WHERE toLower(name) = toLower($task))
MATCH (x)-[r:APPLIES_TO]->(t)
RETURN t.name AS task, CASE WHEN x:Paper THEN 'Paper' ELSE x.type END AS type, x.name AS name,
       r.belief AS belief, r.papers AS papers
ORDER BY task, type, belief DESC, papers DESC, name, r.id
LIMIT $limit;
