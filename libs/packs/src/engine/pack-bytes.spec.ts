import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@connector/kernel/jcs';
import { processorMs } from '@connector/testing/processor-time';
import { buildPack } from './build-pack';
import { PACK_BYTES_MAX, PACK_VALUES_MAX } from './limits';
import { checkPackBytes } from './pack-bytes';

const DESK = readFileSync(join(__dirname, '../../../shipped-packs/tern-desk/pack.json'));
const HEAD = '"owner_pack":"dev.example.things","pack_version":"1.0.0"';

function faultsOf(text: string | Buffer): readonly string[] {
  const check = checkPackBytes(Buffer.from(text));
  return check.ok ? [] : check.faults.map(({ pointer, code, found }) => `${pointer} ${code} ${found}`.trim());
}

describe('checkPackBytes', () => {
  it('ok: a pack as it stands in its file', () => {
    const check = checkPackBytes(DESK);
    expect(check).toMatchObject({ ok: true, ownerPack: 'dev.example.tern-desk' });
  });

  it.each([
    ['a byte order mark', `\ufeff{${HEAD},"definitions":{}}`, 'not-json bom at byte 0'],
    ['a member twice', `{${HEAD},"definitions":{},"owner_pack":"dev.example.other"}`, 'not-json duplicate-member at byte 75'],
    ['a member twice, spelled otherwise', `{${HEAD},"definitions":{},"\\u006fwner_pack":""}`, 'not-json duplicate-member at byte 75'],
    ['half a surrogate pair', `{${HEAD},"definitions":{"\\ud800":1}}`, 'not-json surrogate at byte 74'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not-json utf8 at byte 1'],
    ['nothing', '', 'not-json syntax at byte 0'],
    ['something behind it', `{${HEAD},"definitions":{}} {}`, 'not-json syntax at byte 76'],
  ])('not-json: %s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it('too-large: bytes above the limit are not read', () => {
    expect(faultsOf(' '.repeat(PACK_BYTES_MAX + 1))).toEqual([`too-large ${PACK_BYTES_MAX + 1}`]);
  });
});

/** What somebody sends who wants the check to take long. */
describe('hostile packs at the limits', () => {
  const members = (count: number): string => Array.from({ length: count }, (_, n) => `"m${n}":0`).join(',');
  const items = (count: number): string => Array.from({ length: count }, () => '0').join(',');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const mapping = (fields: string) => `{"business_key":"a","definition_version":"1","definition":{"fields":{${fields}}}}`;
  const defined = (definitions: string) => `{${HEAD},"definitions":{"field-mapping":[${definitions}]}}`;
  // As long as an expression may be, as many as a pack may have text, and unreadable at its last character.
  const expressions = (one: string) => defined(mapping(Array.from({ length: 31 }, (_, n) => `"f${n}":"${one}"`).join(',')));
  it.each<[string, string, string]>([
    ['members that no pack has', `{${members(19_000)}}`, 'shape-wrong'],
    ['members of a definition', defined(mapping(members(19_000))), 'shape-wrong'],
    ['items that are no definitions', defined(items(19_000)), 'shape-wrong'],
    ['more values than are looked at', defined(items(PACK_VALUES_MAX * 2)), 'too-large'],
    ['a name of half a megabyte', `{"${'x'.repeat(500_000)}":0}`, 'shape-wrong'],
    ['a hundred thousand levels', deep, 'not-json'],
    ['conditions in every expression', expressions('a?b:'.repeat(508)), 'expression-unreadable'],
    ['brackets in every expression', expressions(`${'('.repeat(1_024)}${')'.repeat(1_024)}`), 'expression-unreadable'],
  ])('faulty: %s, within a second of one processor', (what, text, code) => {
    const bytes = Buffer.from(text);
    const check = checkPackBytes(bytes);
    expect(check.ok ? undefined : check.faults[0]?.code).toBe(code);
    const ms = processorMs(() => checkPackBytes(bytes));
    process.stderr.write(`${what}: ${Math.round(ms)} ms of one processor\n`);
    expect(ms).toBeLessThan(1_000);
  });

  it('too-large: as a value that something else parsed, before its schemas are asked', () => {
    const pack = { definitions: Array.from({ length: PACK_VALUES_MAX + 1 }, () => 0) } as unknown as JsonObject;
    const check = checkPackBytes(Buffer.from(JSON.stringify(pack)));
    expect(check).toMatchObject({ ok: false, faults: [{ pointer: '', code: 'too-large' }] });
  });
});

describe('buildPack', () => {
  it('same bytes: whatever the order of members, and another digest for another value', () => {
    const digestOf = (text: string | Buffer): string => {
      const check = checkPackBytes(Buffer.from(text));
      return check.ok ? buildPack(check).manifest.digest : '';
    };
    const pack = JSON.parse(DESK.toString('utf8')) as JsonObject;
    const turned = Object.fromEntries(Object.entries(pack).reverse());
    expect(digestOf(JSON.stringify(turned))).toBe(digestOf(DESK));
    expect(digestOf(JSON.stringify({ ...pack, pack_version: '9.9.9' }))).not.toBe(digestOf(DESK));
  });
});
