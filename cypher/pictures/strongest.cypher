// Picture: the strongest claims
// The statements that most papers back, of all predicates.
// limit (integer, optional): the most claims to show
// :param limit => 100
MATCH claim = ()-[r:EVALUATES_ON|IMPROVES_OVER|BUILDS_ON|TRAINED_ON|APPLIES_TO|COMPARED_WITH|PART_OF]->()
RETURN claim
ORDER BY r.belief DESC, r.papers DESC, r.id
LIMIT $limit;
