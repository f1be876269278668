/** A statement that each connection parses and plans once. */
export interface NamedStatement {
  name: string;
  text: string;
}

/**
 * @param name area, verb and object, such as `mutations_save_ledger`; unique in this program
 */
export const statement = (name: string, text: string): NamedStatement => ({ name, text });
