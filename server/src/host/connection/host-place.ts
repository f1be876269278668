/**
 * A host's library, as cells that share it name it: the address without user and password, in small letters.
 *
 * @param address LEGACY_URL, or the address of the server's own PostgreSQL
 */
export function hostPlace(address: string, library: string): string {
  const url = /^(postgres(ql)?|db2):/.test(address) ? URL.parse(address) : null;
  const parts = url
    ? [url.hostname, url.port, url.pathname]
    : address
        .replace(/^odbc:/i, '')
        .split(';')
        .map((part) => part.trim())
        .filter((part) => /^(driver|dsn|database|hostname|servername|server|system|port|dbq)\s*=/i.test(part))
        .sort();
  return [...parts, library].join(' ').toLowerCase();
}
