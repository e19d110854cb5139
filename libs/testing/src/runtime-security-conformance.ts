import type { AdvanceAnswer, AdvanceAppGrants, RuntimeSecurity } from '@connector/catalog/contract/runtime-security';
import { isBoundTo, noOtherInputs, projectionOf } from '@connector/security/contract/projection';
import type { Fate } from './fake-runtime-security';
import { advanceOf, grantsOf } from './fixtures/security';

export interface SecurityUnderTest {
  readonly port: RuntimeSecurity;
  /** Another input of security moves, which is no App's. */
  moveOtherInputs(organization: string): Promise<void> | void;
}

/** What every adapter of Catalog's port to Runtime security must keep, whatever becomes of single calls; `make` begins with no organization. */
export function runtimeSecurityConformance(
  name: string,
  make: (plan: readonly Fate[]) => Promise<SecurityUnderTest> | SecurityUnderTest,
): void {
  describe(`runtime security port, ${name}`, () => {
    const ORG = 'org-1';
    const command = (prior = 0n, installation = 'inst-1', organization = ORG): AdvanceAppGrants =>
      advanceOf(organization, grantsOf(organization, { [installation]: ['runtime.records.read.v1'] }), prior);
    const boundEpoch = (to: AdvanceAppGrants, answer: AdvanceAnswer): bigint | string =>
      answer.kind === 'bound' ? (isBoundTo(to, answer) ? answer.securityEpoch : 'of something else') : answer.kind;

    it('head: cat:A-31 an organization that nobody spoke of stands at epoch 0, with the other inputs of none', async () => {
      const { port } = await make([]);
      expect(await port.readHead('org/with a space')).toEqual({
        kind: 'head',
        securityEpoch: 0n,
        otherInputsDigest: noOtherInputs('org/with a space').digest,
        projectionDigest: null,
      });
    });

    it('bound: cat:SEC-03 to a later epoch, which the head then names with its projection', async () => {
      const { port } = await make([]);
      const one = command();
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
      expect(await port.readHead(ORG)).toMatchObject({ securityEpoch: 1n, projectionDigest: one.expectedProjectionDigest });
    });

    it('bound: cat:SEC-07 the same command again is the same binding, also after a newer epoch', async () => {
      const { port } = await make([]);
      const one = command();
      const first = await port.advance(one);
      await port.advance(command(1n, 'inst-2'));
      expect(await port.advance(one)).toEqual(first);
    });

    it('bound: cat:SEC-05 organizations have epochs of their own', async () => {
      const { port } = await make([]);
      await port.advance(command());
      const other = command(0n, 'inst-1', 'org-2');
      expect(boundEpoch(other, await port.advance(other))).toBe(1n);
    });

    it('refused: cat:SEC-08 the same command with another payload', async () => {
      const { port } = await make([]);
      const one = command();
      await port.advance(one);
      expect(await port.advance({ ...command(1n, 'inst-2'), commandId: one.commandId })).toEqual({
        kind: 'refused',
        code: 'payload-conflict',
      });
    });

    it('refused: cat:SEC-09 a stale epoch, with the one that stands, whoever made it', async () => {
      const { port, moveOtherInputs } = await make([]);
      await moveOtherInputs(ORG);
      expect(await port.advance(command())).toEqual({ kind: 'refused', code: 'stale-epoch', currentEpoch: 1n });
    });

    it('refused: a projection that Runtime computes otherwise', async () => {
      const { port } = await make([]);
      const one = command();
      const { digest } = projectionOf(one.appGrants, noOtherInputs(ORG).digest);
      const wrong = { ...one, expectedProjectionDigest: noOtherInputs(ORG).digest };
      expect(await port.advance(wrong)).toEqual({
        kind: 'refused',
        code: 'projection-differs',
        projectionDigest: digest,
        otherInputsDigest: noOtherInputs(ORG).digest,
      });
      // A refused command is none: nothing was kept of it.
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
    });

    it('unavailable: a call that failed did nothing, and the same command is bound by the next', async () => {
      const { port } = await make(['fail']);
      const one = command();
      expect(await port.advance(one)).toEqual({ kind: 'unavailable' });
      expect(await port.readHead(ORG)).toMatchObject({ securityEpoch: 0n });
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
    });

    it('unavailable: cat:PUBL-C3 an answer that was lost is asked for again by the same command, and the epoch is allocated once', async () => {
      const { port } = await make(['lose-answer', 'lose-answer']);
      const one = command();
      expect([await port.advance(one), await port.advance(one)]).toEqual([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
      expect(await port.readHead(ORG)).toMatchObject({ securityEpoch: 1n });
    });

    it('bound: a command that arrives twice is bound once', async () => {
      const { port } = await make(['twice']);
      const one = command();
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
      expect(await port.readHead(ORG)).toMatchObject({ securityEpoch: 1n });
    });

    it('refused: a command that comes late, after another took its epoch', async () => {
      let go = (): void => undefined;
      const { port } = await make([new Promise<void>((kept) => (go = kept))]);
      const slow = port.advance(command());
      const quick = command(0n, 'inst-2');
      expect(boundEpoch(quick, await port.advance(quick))).toBe(1n);
      go();
      expect(await slow).toEqual({ kind: 'refused', code: 'stale-epoch', currentEpoch: 1n });
    });

    it('lie: a binding of another command never passes for one of this', async () => {
      const { port } = await make(['lie']);
      const one = command();
      expect(typeof boundEpoch(one, await port.advance(one))).toBe('string');
      expect(boundEpoch(one, await port.advance(one))).toBe(1n);
    });
  });
}
