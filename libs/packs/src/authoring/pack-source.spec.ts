import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPack } from './pack-source';

describe('readPack', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pack-'));
    mkdirSync(join(folder, 'fixtures'));
    writeFileSync(join(folder, 'pack.json'), '{"owner_pack":"dev.example.a"}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const fixture = (name: string, text: string): void => writeFileSync(join(folder, 'fixtures', name), text);

  it('pack: the document as it is, and the deliveries by name with the bytes that are sent', () => {
    fixture('b.json', '{"about":"raw","route":"r","body_text":"{"}');
    fixture('a.json', '{"about":"one","route":"r","body":{"b":1,"a":[]}}');
    fixture('c.json', '{"about":"facts","route":"r","key":"d1","headers":{"x-kind":"k"},"body":{}}');
    fixture('notes.txt', 'no fixture');
    expect(readPack(folder)).toEqual({
      pack: { owner_pack: 'dev.example.a' },
      deliveries: [
        { name: 'a', about: 'one', route: 'r', body: Buffer.from('{"a":[],"b":1}') },
        { name: 'b', about: 'raw', route: 'r', body: Buffer.from('{') },
        { name: 'c', about: 'facts', route: 'r', body: Buffer.from('{}'), facts: { key: 'd1', headers: { 'x-kind': 'k' } } },
      ],
    });
  });

  it.each([
    '{',
    '{"about":"x","route":"r"}',
    '{"about":"x","route":"r","body":{},"body_text":""}',
    '{"about":"x","route":"r","body":{},"more":1}',
  ])('InputFault: a fixture that is none is named: %s', (text) => {
    fixture('bad.json', text);
    expect(() => readPack(folder)).toThrow(/^bad\.json/);
  });

  it('InputFault: a pack.json that holds a member twice', () => {
    writeFileSync(join(folder, 'pack.json'), '{"a":1,"a":2}');
    expect(() => readPack(folder)).toThrow(/^pack\.json: duplicate-member/);
  });
});
