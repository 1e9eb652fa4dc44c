// What is said between X and Y
// Every passage that relates two entities, in either direction, denied and supposed ones too.
// first (string): any entity X, by any of its names
// :param first => "BetaNet"
// second (string): any entity Y, by any of its names
// :param second => "BERT"
MATCH (x:Entity)
WITH x, any(name IN x.names WHERE toLower(name) = toLower($first)) AS is_first,
     any(name IN x.names WHERE toLower(name) = toLower($second)) AS is_second
WHERE is_first OR is_second
MATCH (s:Statement)-[:SUBJECT]->(x)
MATCH (s)-[:OBJECT]->(y:Entity)
WHERE y.key <> x.key
  AND (is_first AND any(name IN y.names WHERE toLower(name) = toLower($second))
       OR is_second AND any(name IN y.names WHERE toLower(name) = toLower($first)))
MATCH (p:Paper)-[t:STATES]->(s)
RETURN x.name AS subject, s.predicate AS predicate, y.name AS object, s.belief AS belief,
       t.negated AS negated, t.hedged AS hedged, p.id AS paper, p.date AS date,
       t.sentence AS sentence
ORDER BY subject, predicate, object, coalesce(date, ''), paper, t.start, t.id;
