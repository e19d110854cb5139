import { type CredentialGenerationId, EffectId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  refusedForNow,
  registered,
  sending,
  settlement,
  UNCERTAIN,
  type HeldPermit,
} from '@connector/testing/fixtures/outbound';
import type { CallEvidence } from '../../model/outbound/evidence';
import { settlePermits } from '../../transitions/outbound/settle-permits.tx';
import { effectList } from './effects';
import { list, LOOK_MAX } from './list';
import { waitingCounts } from './waiting-counts';

let schema: TestSchema;
let served: ServedAccount;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/one'])) as [ServedAccount];
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

const uncertain = (limit: number, after?: string) =>
  list(schema.db, effectList, { accounts: [served.account], state: 'uncertain', after, limit });

/** One call each, settled with these. */
async function settled(...evidence: readonly CallEvidence[]): Promise<readonly HeldPermit[]> {
  const holder = await registered(schema);
  const permits: HeldPermit[] = [];
  for (const [at, one] of evidence.entries()) {
    await authored(schema, served, at + 1, credential);
    const [permit] = (await granted(schema.db, served, holder)) as [HeldPermit];
    const token = await sending(schema.db, holder, credential, [permit]);
    await settlePermits(schema.db, settlement(served, holder, token, [permit], one));
    permits.push(permit);
  }
  return permits;
}

describe('the list of effects', () => {
  it('known: of a call of which nobody knows, the last attempt, its permit, what was seen and when, and the key (PUB-OUT-02)', async () => {
    const [, permit] = await settled(CONFIRMED, { ...UNCERTAIN, status: 502 });
    const { rows, next } = await uncertain(50);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      ...{ effect_id: permit?.effectId, state: 'uncertain', attempt_count: 1, provider_key: 'key-2', intent: 'thing/push' },
      ...{ last_permit_id: permit?.permitId, last_outcome: 'uncertain', last_status: 502, last_detail: UNCERTAIN.detail },
    });
    const [row] = await schema.sql('SELECT DATE_FORMAT(recorded_at, ?) AS at FROM con_effect_evidence WHERE status = 502', [
      '%Y-%m-%dT%H:%i:%s.%fZ',
    ]);
    expect([rows[0]?.last_recorded_at, next]).toEqual([String(row?.['at']), null]);
    expect((await waitingCounts(schema.db)).uncertain).toBe(1);
  });

  it('found: at once, behind more finished ones than one look takes, and page by page', async () => {
    const permits = await settled(UNCERTAIN, UNCERTAIN, UNCERTAIN);
    const ids = Array.from({ length: LOOK_MAX + 1 }, () => EffectId.bytes(EffectId.mint()));
    await schema.sql(
      `INSERT INTO con_remote_effect (effect_id, outbound_command_id, account, logical_effect_digest, epoch_id, epoch_digest,
                                      credential_generation_id, request_digest, state, reason, attempt_count)
       SELECT n.id, n.id, e.account, e.logical_effect_digest, e.epoch_id, e.epoch_digest,
              e.credential_generation_id, e.request_digest, 'finalized', NULL, 1
         FROM (SELECT * FROM con_remote_effect LIMIT 1) e JOIN (${ids.map(() => 'SELECT ? AS id').join(' UNION ALL ')}) n`,
      ids,
    );
    const first = await uncertain(2);
    const second = await uncertain(2, first.next ?? undefined);
    const found = [...first.rows, ...second.rows].map(({ effect_id }) => effect_id);
    expect([first.rows.length, second.rows.length, second.next]).toEqual([2, 1, null]);
    expect(found).toEqual(permits.map(({ effectId }) => effectId).toReversed());
  });

  it('listed: every other effect with its last attempt, and one that was never tried with none', async () => {
    const [permit] = await settled(refusedForNow(60_000));
    const effectId = await authored(schema, served, 2, credential, { provider_key: null });
    await granted(schema.db, served, await registered(schema, 'egress-2'));
    await schema.sql('DELETE FROM con_dispatch_permit WHERE effect_id = ?', [EffectId.bytes(effectId)]);
    const { rows } = await list(schema.db, effectList, { accounts: [served.account], state: undefined, after: undefined, limit: 50 });
    expect(rows.map((row) => [row.effect_id, row.last_permit_id, row.last_status, row.provider_key])).toEqual([
      [effectId, null, null, null],
      [permit?.effectId, permit?.permitId, 429, 'key-1'],
    ]);
    expect((await uncertain(50)).rows).toEqual([]);
  });
});
