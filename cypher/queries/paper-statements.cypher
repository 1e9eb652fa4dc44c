// What a paper states
// Every statement of a paper, in the order of its text, each with the passage.
// paper (string): the paper's id, or its title
// :param paper => "2101.00001"
MATCH (p:Paper)
WHERE p.id = $paper OR toLower(p.name) = toLower($paper)
MATCH (p)-[t:STATES]->(s:Statement)-[:SUBJECT]->(a)
MATCH (s)-[:OBJECT]->(b)
RETURN p.id AS paper, a.name AS subject, s.predicate AS predicate, b.name AS object,
       t.negated AS negated, t.hedged AS hedged, t.confidence AS confidence,
       s.belief AS belief, t.sentence AS sentence
ORDER BY paper, t.part DESC, t.start, subject, predicate, object, t.id;
