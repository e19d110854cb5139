import fc from 'fast-check';
import type { Instant } from './brand';
import { InputFault } from './faults';
import { EffectId, EpochId, EventId, ID_PREFIXES, idNameOf, isUuid7, mintUuid7, OutboundCommandId, ReceiptId } from './ids';

const SEED = 20250116;
const ZEROS = '0'.repeat(26);

describe('ids', () => {
  it('the same bytes back from the text, for any 16 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const text = ReceiptId.of(bytes);
        expect(text).toMatch(/^rcp_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(ReceiptId.bytes(text).equals(bytes)).toBe(true);
        expect(ReceiptId.parse(text)).toBe(text);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('one text for each value: of all texts of 26 characters, those that parse give themselves back', () => {
    const chars = fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz');
    fc.assert(
      fc.property(fc.array(chars, { minLength: 26, maxLength: 26 }), (parts) => {
        const text = `rcp_${parts.join('')}`;
        const canonical = '048cgmrw'.includes(text.at(-1) ?? '');
        if (canonical) expect(ReceiptId.of(ReceiptId.bytes(ReceiptId.parse(text)))).toBe(text);
        else expect(() => ReceiptId.parse(text)).toThrow(InputFault);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('the first bit first', () => {
    expect(EpochId.of(Buffer.from('80000000000000000000000000000001', 'hex'))).toBe(`epo_g${'0'.repeat(24)}4`);
    expect(EpochId.of(Buffer.alloc(16, 0xff))).toBe(`epo_${'z'.repeat(25)}w`);
    expect(EpochId.of(Buffer.alloc(16))).toBe(`epo_${ZEROS}`);
  });

  it.each([...'123567'])('refused: padding bits that are not zero, last character %s', (last) => {
    expect(() => ReceiptId.parse(`rcp_${'0'.repeat(25)}${last}`)).toThrow(InputFault);
  });

  it.each([
    ['another prefix', `evt_${ZEROS}`],
    ['no prefix', ZEROS],
    ['a capital in the prefix', `RCP_${ZEROS}`],
    ['a capital', `rcp_A${ZEROS.slice(1)}`],
    ['a letter outside the alphabet: i', `rcp_i${ZEROS.slice(1)}`],
    ['a letter outside the alphabet: l', `rcp_l${ZEROS.slice(1)}`],
    ['a letter outside the alphabet: o', `rcp_o${ZEROS.slice(1)}`],
    ['a letter outside the alphabet: u', `rcp_u${ZEROS.slice(1)}`],
    ['a hyphen', `rcp_${ZEROS.slice(1)}-`],
    ['a space behind', `rcp_${ZEROS} `],
    ['one character less', `rcp_${ZEROS.slice(1)}`],
    ['one character more', `rcp_${ZEROS}0`],
    ['a full-width digit', `rcp_${ZEROS.slice(1)}\uff10`],
    ['nothing', ''],
  ])('refused: %s', (_name, text) => {
    expect(() => ReceiptId.parse(text)).toThrow(InputFault);
    expect(() => ReceiptId.bytes(text as ReceiptId)).toThrow(InputFault);
  });

  it.each([0, 15, 17])('refused: %d bytes', (length) => {
    expect(() => ReceiptId.of(Buffer.alloc(length))).toThrow(InputFault);
  });

  it('minted: the account in the first four bytes, the rest never twice', () => {
    const account = Buffer.from('01020304', 'hex');
    const minted = Array.from({ length: 1000 }, () => ReceiptId.mint(account));
    expect(minted.every((id) => ReceiptId.bytes(id).subarray(0, 4).equals(account))).toBe(true);
    expect(new Set(minted).size).toBe(1000);
    expect(new Set(Array.from({ length: 1000 }, () => ReceiptId.mint())).size).toBe(1000);
  });

  it('minted: a UUIDv7 of its form and never twice, also where the clock stands still or steps back (cat:A-43, cat:ID-14)', () => {
    const clock = [
      '2026-06-01T00:00:00.000000Z',
      '2026-06-01T00:00:00.000000Z',
      '2025-01-01T00:00:00.000000Z',
      '2026-06-01T00:00:00.000000Z',
    ];
    const minted = clock.flatMap((at) => Array.from({ length: 1000 }, () => mintUuid7(at as Instant)));
    expect(minted.filter((one) => !isUuid7(one))).toEqual([]);
    expect(new Set(minted).size).toBe(minted.length);
  });

  it('the kind by its prefix, and each prefix once', () => {
    const prefixes = Object.values(ID_PREFIXES);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    expect(prefixes.every((prefix) => /^[a-z]{3}$/.test(prefix))).toBe(true);
    expect(idNameOf(EventId.mint())).toBe('EventId');
    expect(idNameOf('xxx_0')).toBeUndefined();
  });

  it('an effect has the bytes of its command under its own prefix (con:REFF-K)', () => {
    const command = OutboundCommandId.mint();
    const effect = EffectId.of(OutboundCommandId.bytes(command));
    expect(effect).toBe(command.replace('obc_', 'eff_'));
    expect(() => EffectId.parse(command)).toThrow(InputFault);
  });
});
