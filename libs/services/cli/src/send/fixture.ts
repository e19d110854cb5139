import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperationId } from '@connector/kernel/ids';
import { jcs, type Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { CliFailure, EXIT } from '../exit';
import { listOf, type Members, membersOf, textOf, textsOf } from '../members';

/** A recorded delivery of a shipped pack. */
export interface Fixture {
  readonly route: string;
  /** The bytes to sign and send; `same` leaves them as they were recorded. */
  body(same: boolean): Buffer;
}

const NAME = /^[a-z0-9-]{1,63}$/;
export const packsDir = (root: string): string => join(root, 'libs', 'shipped-packs');

export async function readFixture(root: string, pack: string, name: string): Promise<Fixture> {
  const dir = join(packsDir(root), pack);
  const text = NAME.test(pack) && NAME.test(name) ? await read(join(dir, 'fixtures', `${name}.json`)) : undefined;
  if (text === undefined) throw await unknownFixture(root, pack, name);
  const fixture = membersOf(jsonOf(text, `${pack}/${name}`));
  const route = textOf(fixture['route']);
  const definition = membersOf(jsonOf((await read(join(dir, 'pack.json'))) ?? '{}', `${pack}/pack.json`));
  const freshen = freshener(routeOf(definition, route));
  return { route, body: (same) => bodyOf(fixture, same ? (value) => value : freshen) };
}

function bodyOf(fixture: Members, change: (body: Json) => Json): Buffer {
  const text = fixture['body_text'];
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : jcs(change(jsonValue(fixture['body'])));
}

function routeOf(pack: Members, key: string): Members {
  const routes = listOf(membersOf(pack['definitions'])['inbound-route']);
  return membersOf(routes.find((route) => route['business_key'] === key)?.['definition']);
}

/**
 * Sending a fixture twice would give the same events again. The route says by which members of an item an event is known: their texts get a
 * suffix that is new with each delivery. Everything else stays.
 */
function freshener(route: Members): (body: Json) => Json {
  const list = /^body\.(\w+)$/.exec(textOf(route['items']))?.[1];
  const names = textsOf(route['source_event_key']).flatMap((part) => /^item\.(\w+)$/.exec(part)?.[1] ?? []);
  return (body) => {
    const suffix = OperationId.mint().slice(-6);
    const items = list === undefined ? [] : listOf(membersOf(body)[list]);
    if (items.length === 0 || list === undefined) return body;
    const fresh = items.map((item) =>
      Object.fromEntries(Object.entries(item).map(([name, value]) => [name, renamed(names, name, value, suffix)])),
    );
    return jsonValue({ ...membersOf(body), [list]: fresh });
  };
}

function renamed(names: readonly string[], name: string, value: unknown, suffix: string): unknown {
  return names.includes(name) && typeof value === 'string' ? `${value}-${suffix}` : value;
}

async function unknownFixture(root: string, pack: string, name: string): Promise<CliFailure> {
  const packs = (await names(packsDir(root))).filter((each) => !each.includes('.'));
  if (!packs.includes(pack)) return new CliFailure(EXIT.notFound, [`There is no pack ${pack} here.`, `  Packs    ${packs.join(', ')}`]);
  const fixtures = (await names(join(packsDir(root), pack, 'fixtures'))).map((file) => file.replace(/\.json$/, ''));
  return new CliFailure(EXIT.notFound, [`${pack} has no fixture ${name}.`, `  Fixtures ${fixtures.join(', ')}`]);
}

const names = async (dir: string): Promise<readonly string[]> => (await readdir(dir).catch(() => [])).toSorted();

/** Undefined where there is no such file. */
export async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const code = membersOf(thrown)['code'];
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

function jsonOf(text: string, name: string): Json {
  const parsed = parseStrict(Buffer.from(text, 'utf8'));
  if (!parsed.ok) throw new CliFailure(EXIT.failed, [`${name} is no JSON: ${parsed.code}.`]);
  return parsed.value;
}

/** What was parsed from JSON, put together anew, is JSON. */
function jsonValue(value: unknown): Json {
  return jsonOf(JSON.stringify(value ?? null), 'body');
}
