// Denied or only supposed
// Passages that deny a statement, or hold it possible without stating it.
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (p:Paper)-[t:STATES]->(s:Statement)
WHERE t.negated OR t.hedged
RETURN s.name AS statement, t.negated AS negated, t.hedged AS hedged, s.papers AS papers_for,
       p.id AS paper, p.date AS date, t.sentence AS sentence
ORDER BY statement, paper, t.start, t.id
LIMIT $limit;
