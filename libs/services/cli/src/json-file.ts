import type { Json, JsonObject } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { CliFailure, EXIT } from './exit';
import { readGiven } from './files';

const FILE_BYTES_MAX = 4_194_304;

/** The value of a file that a person wrote, in any layout: strict JSON, so that no member stands twice and counts once. */
export async function readJsonFile(path: string): Promise<Json> {
  const bytes = await readGiven(path, FILE_BYTES_MAX);
  if (bytes.length > FILE_BYTES_MAX) throw new CliFailure(EXIT.usage, [`${path} is larger than ${FILE_BYTES_MAX} bytes.`]);
  const parsed = parseStrict(bytes);
  if (parsed.ok) return parsed.value;
  throw new CliFailure(EXIT.usage, [`${path} is no strict JSON: ${parsed.message}, at byte ${parsed.at}.`]);
}

export async function readJsonObject(path: string): Promise<JsonObject> {
  const value = await readJsonFile(path);
  if (isObject(value)) return value;
  throw new CliFailure(EXIT.usage, [`${path} has no JSON object.`]);
}

export const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
