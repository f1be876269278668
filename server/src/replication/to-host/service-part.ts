import type { Column, HostFile } from '../../host/files/columns.ts';
import type { HostRow } from '../../host/host.ts';
import { decimalText, isDecimalText } from '../../host/files/fit.ts';
import { hostFile, type HostFileName, type ServicePart } from '../../host/files/tables.ts';

type Value = string | undefined;

const knownColumns = new Map<HostFileName, readonly string[]>();

/** Key and service-owned columns, in the file's order. */
export function partColumns(name: HostFileName): readonly string[] {
  const known = knownColumns.get(name);
  if (known) return known;
  const { key, service } = hostFile(name);
  const columns = [...Object.keys(key), ...Object.keys(service)];
  knownColumns.set(name, columns);
  return columns;
}

/**
 * Builds the service's part of a row column by column; columns without a value become blank or zero, as on the host.
 */
export function servicePart<Name extends HostFileName>(
  name: Name,
  valueOf: (column: string) => Value,
): ServicePart<Name> {
  const file = hostFile(name);
  const part: { [column: string]: string } = {};
  for (const column of partColumns(name)) part[column] = valueOf(column) ?? initialOf(definitionOf(file, column));
  if (!isServicePart(name, part)) throw new TypeError(`a row of ${name} has a value of the wrong kind`);
  return part;
}

/** Reads the service's part of a row from the host. */
export function partOfHostRow<Name extends HostFileName>(name: Name, row: HostRow): ServicePart<Name> {
  return servicePart(name, (column) => {
    const value = row[column];
    if (typeof value !== 'string') throw new TypeError(`a row of ${name} has no text in ${column}`);
    return value;
  });
}

function definitionOf(file: HostFile, column: string): Column | undefined {
  return file.key[column] ?? file.service[column];
}

function initialOf(column: Column | undefined): string {
  return column?.kind === 'decimal' ? decimalText(0, column.scale) : '';
}

function isServicePart<Name extends HostFileName>(name: Name, part: unknown): part is ServicePart<Name> {
  if (typeof part !== 'object' || part === null) return false;
  const file = hostFile(name);
  return partColumns(name).every((column) => {
    const value: unknown = Reflect.get(part, column);
    return typeof value === 'string' && (definitionOf(file, column)?.kind !== 'decimal' || isDecimalText(value));
  });
}
