import { CLAUSE, early, EARLY, FENCE, GATE, ignored, LOCK, plant, replaced, SWALLOWED, unlocked, type Edit, type Mutant } from './mutant';
import { LIFECYCLE_MUTANTS } from './mutants-lifecycle';
import { BARRIER_MUTANTS } from './mutants-barriers';
import { BINDING_MUTANTS } from './mutants-binding';
import { CONVERSION_MUTANTS } from './mutants-conversion';
import { MEMBERSHIP_MUTANTS } from './mutants-membership';
import { PUBLICATION_MUTANTS } from './mutants-publication';
import { REGISTRY_MUTANTS } from './mutants-registry';
import { ORDERING_MUTANTS } from './mutants-ordering';
import { SECURITY_MUTANTS } from './mutants-security';
import { VERIFICATION_MUTANTS } from './mutants-verification';

const EFFECT = unlocked('con_remote_effect');
const PERMIT = unlocked('con_dispatch_permit');
const EPOCH = unlocked('con_epoch');
const CGATE = unlocked('con_credential_gate');
const COMMAND = unlocked('run_command');
const STARTS = unlocked('run_command_start');
const SAME_STARTS = replaced('update run_command_start', 'SET starts = ?', 'SET starts = starts + 0 * ?');
const SAME_FENCE = (label: string): Edit => replaced(`update con_serving_gate#${label}`, 'fence = ? + 1', 'fence = ? + 0');
const STILL = (label: string): Edit => replaced(`update con_credential_gate#${label}`, 'fence = ?,', 'fence = fence + 0 * ?,');

/**
 * A clause of a CAS stands behind a locked judgement of the same row, so alone it is never the one that decides: its mutants take the lock
 * away too, and show that the clause holds where the lock is missing, and what happens where both are.
 */
export const MUTANTS: readonly Mutant[] = [
  plant('admit-receipts', LOCK, 'admit | halt', 'admit-and-materialize', GATE),
  plant(
    'admit-receipts',
    LOCK,
    'admit | admit, same key',
    'admit-and-materialize',
    GATE,
    unlocked('con_channel_key_gate'),
    unlocked('con_admission_key'),
  ),
  ...['admit | admit, same other bytes', 'admit | admit, one conflict below the bound'].map((group) =>
    plant('admit-receipts', LOCK, group, 'admit-and-materialize', GATE, unlocked('con_channel_key_gate'), unlocked('con_admission_key')),
  ),
  plant('admit-receipts', EARLY, 'admit | halt', 'admit-and-materialize', early('con_serving_gate')),
  plant('admit-receipts', EARLY, 'admit | move channel keys', 'admit-and-materialize', early('con_channel_key_gate')),
  plant('materialize-receipts', EARLY, 'materialize | halt', 'materialize-receipts', early('con_serving_gate')),
  plant('materialize-receipts', LOCK, 'materialize | materialize', 'materialize-receipts', GATE, unlocked('con_materialization')),
  plant('claim-executions', LOCK, 'claim | halt', 'claim-executions', GATE),
  plant('claim-executions', LOCK, 'claim | claim', 'claim-executions', GATE, unlocked('con_execution')),
  plant(
    'claim-executions',
    CLAUSE,
    'record | claim again',
    'claim-executions',
    GATE,
    unlocked('con_execution'),
    replaced('update con_execution#claim', "AND state = 'ready' AND due_at <= NOW(6)", ''),
  ),
  plant('claim-executions', EARLY, 'record | claim again', 'claim-executions', GATE, early('con_execution')),
  plant('record-results', LOCK, 'record | record', 'record-results', GATE, unlocked('con_execution')),
  plant('record-results', EARLY, 'record | record', 'record-results', GATE, early('con_execution')),
  plant('create-effects', LOCK, 'create effects | create effects', 'create-effects', GATE, unlocked('con_effect_feed')),
  plant(
    'create-effects',
    FENCE,
    'create effects | create effects',
    'create-effects',
    replaced('update con_effect_feed', 'SET next_seq = ?', 'SET next_seq = next_seq + 0 * ?'),
  ),
  plant('claim-effects', LOCK, 'acquire | acquire, same effect', 'grant', GATE, CGATE, unlocked('con_effect_feed'), EFFECT),
  plant('acquire-permits', LOCK, 'acquire | halt', 'grant', GATE),
  plant('acquire-permits', EARLY, 'acquire | halt', 'grant', early('con_serving_gate')),
  plant('acquire-permits', LOCK, 'acquire | acquire, one slot', 'grant', unlocked('con_egress_holder')),
  plant('acquire-permits', EARLY, 'acquire | register', 'grant', early('con_egress_holder')),
  plant('acquire-permits', LOCK, 'acquire | revoke', 'grant', CGATE),
  plant('acquire-permits', EARLY, 'acquire | revoke', 'grant', early('con_credential_gate')),
  plant('start-sending', LOCK, 'start-sending | revoke', 'start-sending', CGATE),
  plant('start-sending', EARLY, 'start-sending | revoke', 'start-sending', early('con_credential_gate')),
  plant('revoke-credential', FENCE, 'start-sending | revoke', 'revoke-credential', STILL('revoke')),
  plant('reenable-credential', FENCE, 'start-sending | reenable', 'reenable-credential', STILL('reenable')),
  plant('start-sending', LOCK, 'start-sending | start-sending', 'start-sending', CGATE, PERMIT),
  plant(
    'start-sending',
    CLAUSE,
    'start-sending | start-sending',
    'start-sending',
    CGATE,
    PERMIT,
    replaced('update con_dispatch_permit#send', "AND state = 'granted' ", ''),
  ),
  plant(
    'start-sending',
    CLAUSE,
    'abandon | start-sending',
    'start-sending',
    CGATE,
    PERMIT,
    replaced('update con_dispatch_permit#send', "AND state = 'granted' ", ''),
  ),
  plant('settle-permits', LOCK, 'settle | settle', 'settle-permits', GATE, EFFECT, PERMIT),
  plant(
    'settle-permits',
    FENCE,
    'settle | conclude-halt',
    'settle-permits',
    replaced('update con_dispatch_permit#return', 'open_account = NULL', 'open_account = account'),
  ),
  plant('finalize-effects', LOCK, 'finalize | finalize, one remote record', 'finalize-effects', unlocked('con_account_work')),
  plant('abandon-permits', LOCK, 'abandon | start-sending', 'abandon-permits', CGATE, PERMIT),
  plant('abandon-permits', LOCK, 'abandon | settle', 'abandon-permits', GATE, EFFECT, PERMIT),
  plant('halt-gate', FENCE, 'halt | halt', 'halt-gate', SAME_FENCE('halt')),
  plant('halt-gate', LOCK, 'halt | halt', 'halt-gate', GATE),
  plant(
    'conclude-halt',
    CLAUSE,
    'settle | conclude-halt',
    'conclude-halt',
    replaced('read con_dispatch_permit#open', 'open_account = ?', "open_account = ? AND state = 'granted'"),
  ),
  plant('conclude-halt', FENCE, 'settle | conclude-halt', 'conclude-halt', SAME_FENCE('halted')),
  plant('resume-gate', FENCE, 'resume | resume', 'resume-gate', SAME_FENCE('resume')),
  plant('resume-gate', LOCK, 'resume | resume', 'resume-gate', unlocked('con_service'), GATE),
  plant(
    'register-holder',
    FENCE,
    'register | register',
    'register-holder',
    replaced('update con_egress_holder', 'SET fence = ?', 'SET fence = fence + 0 * ?'),
  ),
  plant('register-holder', LOCK, 'register | register', 'register-holder', unlocked('con_egress_holder')),
  plant('prepare-epoch', SWALLOWED, 'prepare | prepare', 'prepare-epoch', ignored('con_epoch')),
  plant('verify-epoch', LOCK, 'verify | verify', 'verify-epoch', EPOCH),
  plant(
    'reject-verified',
    CLAUSE,
    'genesis | reject',
    'reject-verified',
    EPOCH,
    replaced('update con_epoch#reject', 'AND state = ?', 'AND (state = ? OR TRUE)'),
  ),
  plant('take-holder-fence', LOCK, 'take holder fence | take holder fence', 'take-holder-fence', unlocked('con_service')),
  plant('activate-genesis', LOCK, 'genesis | genesis', 'activate-genesis', unlocked('con_service'), EPOCH),
  plant(
    'activate-genesis',
    CLAUSE,
    'genesis | reject',
    'activate-genesis',
    EPOCH,
    replaced('update con_epoch#activate', "AND state = 'verified' ", ''),
  ),
  plant(
    'open-credential-gate',
    SWALLOWED,
    'open credential gate | open credential gate',
    'open-credential-gate',
    ignored('con_credential_gate'),
  ),
  plant(
    'move-channel-key-gate',
    CLAUSE,
    'move channel keys | move channel keys',
    'move-channel-key-gate',
    unlocked('con_channel_key_gate'),
    replaced('update con_channel_key_gate', 'AND fence = ?', 'AND (fence = ? OR TRUE)'),
  ),
  plant(
    'rest-work',
    CLAUSE,
    'admit | rest',
    'rest-work',
    replaced('update con_account_work#rest', 'AND produced = ?', 'AND (produced = ? OR TRUE)'),
  ),
  plant('pin-generations', SWALLOWED, 'pin | pin, another digest', 'pin-generations', ignored('pck_epoch_pin')),
  plant('pin-generations', LOCK, 'uninstall | pin', 'pin-generations', unlocked('pck_generation')),
  plant('pin-generations', EARLY, 'uninstall | pin', 'pin-generations', early('pck_generation')),
  plant('accept-command', SWALLOWED, 'accept | accept, one execution', 'accept-command', ignored('run_command')),
  plant('start-command', LOCK, 'start | start', 'start-command', COMMAND, STARTS),
  plant('start-command', EARLY, 'start | start', 'start-command', early('run_command_start'), COMMAND),
  plant('start-command', FENCE, 'start | start, the last one', 'start-command', SAME_STARTS),
  plant('leave-command', LOCK, 'start | leave', 'leave-command', COMMAND, STARTS),
  plant('leave-command', FENCE, 'start | leave', 'leave-command', SAME_STARTS),
  plant('commit-application', LOCK, 'author | halt', 'commit-application', GATE),
  plant('commit-application', LOCK, 'author | author, same slot', 'commit-application', GATE, unlocked('run_command')),
  plant('commit-application', SWALLOWED, 'author | author, one record', 'commit-application', ignored('run_record')),
  plant(
    'author-outbound',
    FENCE,
    'author | author, one feed',
    'commit-application',
    replaced('update run_feed_head', 'SET next_seq = ?', 'SET next_seq = next_seq + 0 * ?'),
  ),
  plant('author-outbound', LOCK, 'author | author, one feed', 'commit-application', GATE, unlocked('run_feed_head')),
  ...ORDERING_MUTANTS,
  ...MEMBERSHIP_MUTANTS,
  ...VERIFICATION_MUTANTS,
  ...CONVERSION_MUTANTS,
  ...PUBLICATION_MUTANTS,
  ...LIFECYCLE_MUTANTS,
  ...BINDING_MUTANTS,
  ...BARRIER_MUTANTS,
  ...SECURITY_MUTANTS,
  ...REGISTRY_MUTANTS,
];
