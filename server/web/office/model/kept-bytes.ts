/** Bytes that are JSON, in lines; undefined where they are no JSON. */
export function inLines(body: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return undefined;
  }
}
