import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { admitting, ANY_OBJECT, closed, type Shape, TEXT } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import { type Json, jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import type { DeliveryFacts } from '../engine/route';

/** A recorded delivery of a pack: the bytes that a provider would send. */
export interface Delivery {
  /** Name of its file, without the ending. */
  readonly name: string;
  readonly about: string;
  /** Business key of the inbound route that it is for. */
  readonly route: string;
  readonly body: Buffer;
  /** What comes beside the body, where the route reads it. */
  readonly facts?: DeliveryFacts;
}
/** A pack as it stands in a folder: `pack.json` and `fixtures/*.json`. Nothing is checked yet but that it is JSON. */
export interface PackSource {
  readonly pack: Json;
  readonly deliveries: readonly Delivery[];
}

const FILE_BYTES_MAX = 1_048_576;
const FIXTURES_MAX = 200;
const LINE: Shape<string> = { schema: { type: 'string', maxLength: 300 } };
const TEXT_BODY: Shape<string> = { schema: { type: 'string' } };
const HEADERS: Shape<Record<string, string>> = { schema: { type: 'object', additionalProperties: { type: 'string', maxLength: 255 } } };
const FIXTURE = closed({ about: LINE, route: TEXT }, { body: ANY_OBJECT, body_text: TEXT_BODY, key: TEXT, headers: HEADERS });
const admitsFixture = admitting(new Ajv({ strict: true }), FIXTURE);

/** The only place of the engine that reads files. InputFault names the file that is not readable as what it should be. */
export function readPack(folder: string): PackSource {
  const fixtures = join(folder, 'fixtures');
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.json'));
  if (names.length > FIXTURES_MAX) throw new InputFault('HOUSE:packs:TooManyFixtures', `at most ${FIXTURES_MAX}, found ${names.length}`);
  return { pack: readJson(join(folder, 'pack.json')), deliveries: names.toSorted().map((name) => delivery(fixtures, name)) };
}

function readJson(path: string): Json {
  const size = statSync(path).size;
  if (size > FILE_BYTES_MAX)
    throw new InputFault('HOUSE:packs:FileTooLong', `${basename(path)}: at most ${FILE_BYTES_MAX} bytes, found ${size}`);
  const parsed = parseStrict(readFileSync(path));
  if (parsed.ok) return parsed.value;
  throw new InputFault('HOUSE:packs:NotJson', `${basename(path)}: ${parsed.code} at byte ${parsed.at}: ${parsed.message}`);
}

/** `body` is sent as canonical JSON; `body_text` as it is, for bodies that are no JSON. `key` and `headers` come beside it. */
function delivery(folder: string, file: string): Delivery {
  const fixture = readJson(join(folder, file));
  if (!admitsFixture(fixture)) throw new InputFault('HOUSE:packs:FixtureShape', `${file}: about, route, and body or body_text`);
  const { about, route, body, body_text: text, key, headers = {} } = fixture;
  if ((body === undefined) === (text === undefined)) throw new InputFault('HOUSE:packs:FixtureShape', `${file}: either body or body_text`);
  const bytes = body === undefined ? Buffer.from(text ?? '', 'utf8') : jcs(body);
  return { name: basename(file, '.json'), about, route, body: bytes, ...(key === undefined ? {} : { facts: { key, headers } }) };
}
