import { randomBytes } from 'node:crypto';
import { EffectId, PermitId } from '@connector/kernel/ids';
import { differences, withoutMinted, type Content } from './content';

const contentOf = (effects: readonly Buffer[], permits: readonly (readonly [effect: Buffer, state: string])[]): Content =>
  new Map<string, readonly Record<string, unknown>[]>([
    [
      'effect',
      effects.map((id) => ({ effect_id: id, state: 'prepared', changed_at: `2026-01-01 00:00:00.${Math.random().toFixed(6).slice(2)}` })),
    ],
    ['permit', permits.map(([effect, state]) => ({ permit_id: randomBytes(16), effect_id: effect, state }))],
  ]);
const differ = (one: Content, other: Content): readonly string[] => differences(withoutMinted(one), withoutMinted(other));
const granted = (effect: Buffer) => [effect, 'granted'] as const;
const sending = (effect: Buffer) => [effect, 'sending'] as const;
const two = (): readonly [Buffer, Buffer] => [randomBytes(16), randomBytes(16)];

describe('content without what is minted', () => {
  it('equal: other ids, other times and another order are the same content', () => {
    const [[a, b], [c, d]] = [two(), two()];
    const mine = contentOf([a, b], [granted(a), sending(b)]);
    expect(differ(mine, contentOf([d, c], [sending(c), granted(d)]))).toEqual([]);
  });

  it('unequal: two permits of one effect are not a permit of each', () => {
    const [[a, b], [c, d]] = [two(), two()];
    const each = contentOf([a, b], [granted(a), granted(b)]);
    expect(differ(each, contentOf([c, d], [granted(c), granted(c)]))).not.toEqual([]);
  });

  it('unequal: a row more, and a row with another word', () => {
    const [id] = two();
    const one = contentOf([id], [granted(id)]);
    expect(differ(one, contentOf([id], [granted(id), granted(id)]))).not.toEqual([]);
    expect(differ(one, contentOf([id], [sending(id)]))).not.toEqual([]);
  });

  it('equal: an id is the same as bytes, as text and inside a document; unequal when the document names another', () => {
    const document = (id: Buffer, named: Buffer): Content =>
      new Map([
        ['effect', [{ effect_id: id }]],
        ['audit', [{ items: Buffer.from(JSON.stringify([{ effect: EffectId.of(named), permit: PermitId.of(id) }])) }]],
      ]);
    const [one, other] = two();
    expect(differ(document(one, one), document(other, other))).toEqual([]);
    expect(differ(document(one, one), document(one, other))).not.toEqual([]);
  });

  it('equal: an id whose random bytes happen to be a readable text is an id all the same', () => {
    const rows = (id: Buffer): Content => new Map([['con_remote_effect', [{ effect_id: id, account: Buffer.from('a name of 16 ch.') }]]]);
    expect(differ(rows(Buffer.from('sixteen letters!')), rows(randomBytes(16)))).toEqual([]);
    const named = new Map([['con_remote_effect', [{ effect_id: randomBytes(16), account: Buffer.from('another of 16 c.') }]]]);
    expect(differ(rows(randomBytes(16)), named)).not.toEqual([]);
  });
});
