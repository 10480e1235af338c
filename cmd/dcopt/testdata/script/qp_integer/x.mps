NAME          T
ROWS
 N  COST
 L  R1
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    X         COST        -1.0   R1           2.0
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS       R1           3.0
BOUNDS
 UP BND       X            4.0
ENDATA
