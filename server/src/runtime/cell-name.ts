/** The cell of an installation without CELL: its tables are in this schema, and its names have no addition. */
export const onlyCell = 'public';
