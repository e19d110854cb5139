import type { Instant } from '@connector/kernel/brand';
import { signer } from '@connector/testing/fixtures/app-release';
import { AppId, PublisherId } from './identifier';
import {
  type AppOwner,
  judgeRecovery,
  judgeTransfer,
  type JudgeOwnership,
  recoveryStatement,
  transferStatement,
} from './ownership-statements';

const NOW = '2026-06-01T00:00:00.000000Z' as Instant;
const owner: AppOwner = { appId: AppId.parse('io.nexuscrm.sfcrm'), publisherId: PublisherId.parse('io.nexuscrm'), ownershipEpoch: 7n };
const [old, next] = [signer('io.nexuscrm'), signer('io.next')];
const verdict = (judged: JudgeOwnership): string => (judged.kind === 'moves' ? judged.kind : judged.code);
const base = { app_id: owner.appId, expected_ownership_epoch: '7', from_publisher_id: 'io.nexuscrm', to_publisher_id: 'io.next' };

function transfer(change: Partial<typeof base> = {}, by = old, now = owner): JudgeOwnership {
  const { bytes } = transferStatement.build({ ...base, key_id: by.key.keyId, ...change });
  return judgeTransfer(now, { statement: bytes, signature: by.sign(transferStatement.separator, bytes) }, by.key, NOW);
}
function recovery(change: Partial<typeof base & { readonly reason: string }> = {}, now = owner): JudgeOwnership {
  return judgeRecovery(now, recoveryStatement.build({ ...base, reason: 'keys lost in a fire', ...change }).bytes);
}

describe('transfer of an app', () => {
  it('moves: signed by the owner of now, the epoch rises by one (cat:PUB-06, cat:PUB-08)', () => {
    expect(transfer()).toEqual({ kind: 'moves', toPublisherId: 'io.next', nextOwnershipEpoch: 8n });
  });

  it('refused: signed by the new publisher, by a third, or by a key that no longer counts (cat:PUB-06)', () => {
    expect(verdict(transfer({}, next))).toBe('KEY_FOREIGN');
    expect(verdict(transfer({}, signer('io.third')))).toBe('KEY_FOREIGN');
    expect(verdict(transfer({}, { ...old, key: { ...old.key, revokedAt: NOW } }))).toBe('KEY_REVOKED');
    expect(verdict(transfer({}, { ...old, key: { ...old.key, validUntil: NOW } }))).toBe('KEY_EXPIRED');
    const { bytes } = transferStatement.build({ ...base, key_id: old.key.keyId });
    const forged = { statement: bytes, signature: next.sign(transferStatement.separator, bytes) };
    expect(verdict(judgeTransfer(owner, forged, old.key, NOW))).toBe('SIGNATURE_INVALID');
    expect(verdict(judgeTransfer(owner, { statement: bytes, signature: old.sign('nexuscrm.app-recovery.v1', bytes) }, old.key, NOW))).toBe(
      'SIGNATURE_INVALID',
    );
    expect(verdict(judgeTransfer(owner, forged, undefined, NOW))).toBe('KEY_UNKNOWN');
    expect(verdict(transfer({ key_id: next.key.keyId } as Partial<typeof base>))).toBe('KEY_MISMATCH');
  });

  it('refused: an epoch that is not the one of now, an old statement again (cat:PUB-08)', () => {
    for (const epoch of ['6', '8', '0']) expect(verdict(transfer({ expected_ownership_epoch: epoch }))).toBe('OWNERSHIP_EPOCH_STALE');
    expect(verdict(transfer({}, old, { ...owner, ownershipEpoch: 8n }))).toBe('OWNERSHIP_EPOCH_STALE');
    const last = { ...owner, ownershipEpoch: 2n ** 64n - 1n };
    expect(verdict(transfer({ expected_ownership_epoch: String(last.ownershipEpoch) }, old, last))).toBe('OWNERSHIP_EPOCH_OVERFLOW');
  });

  it('refused: another App, another owner, the same publisher, no publisher, no statement', () => {
    expect(verdict(transfer({ app_id: AppId.parse('io.nexuscrm.other') }))).toBe('APP_MISMATCH');
    expect(verdict(transfer({ from_publisher_id: 'io.third' }))).toBe('OWNER_MISMATCH');
    expect(verdict(transfer({ to_publisher_id: 'io.nexuscrm' }))).toBe('SAME_PUBLISHER');
    expect(verdict(transfer({ to_publisher_id: 'https://io.next' }))).toBe('STATEMENT_SHAPE');
    expect(verdict(judgeTransfer(owner, { statement: Buffer.from('{}'), signature: Buffer.alloc(64) }, old.key, NOW))).toBe(
      'STATEMENT_SHAPE',
    );
  });
});

describe('recovery of an app', () => {
  it('moves: by the same rules of owner and epoch, with a reason in place of a signature (cat:PUB-12)', () => {
    expect(recovery()).toEqual({ kind: 'moves', toPublisherId: 'io.next', nextOwnershipEpoch: 8n });
  });

  it('refused: without a rising epoch, without a reason, from somebody who is not the owner (cat:PUB-12)', () => {
    expect(verdict(recovery({}, { ...owner, ownershipEpoch: 8n }))).toBe('OWNERSHIP_EPOCH_STALE');
    expect(() => recovery({ reason: '' })).toThrow();
    expect(verdict(recovery({ from_publisher_id: 'io.third' }))).toBe('OWNER_MISMATCH');
    expect(verdict(judgeRecovery(owner, transferStatement.build({ ...base, key_id: old.key.keyId }).bytes))).toBe('STATEMENT_SHAPE');
  });
});
