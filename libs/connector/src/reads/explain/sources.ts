import type { AccountName, Instant } from '@connector/kernel/brand';
import type { CommandId, CredentialGenerationId } from '@connector/kernel/ids';
import type { Why } from '../../model/execution/why';
import type { PolicyBasis } from '../../model/explain/finding';
import type { AlertKey } from '../../model/explain/reason';

/** The frozen alert times of an account, by the epoch that a row is bound to. */
export interface AlertTimes {
  /** Milliseconds by member of `alert_after_ms`. */
  readonly afterMs: Readonly<Partial<Record<AlertKey, number>>>;
  readonly declaredBy: string;
}

/** What the Runtime has of one command. */
export interface Handover extends Why {
  readonly command_id: CommandId;
  readonly accepted_at: Instant;
  readonly outcome: string | null;
  readonly committed_at: Instant | null;
}

/** What control has of one credential generation. */
export interface AuthoredCredential {
  readonly generation_id: CredentialGenerationId;
  readonly credential_identity: string;
  readonly provider: string;
  readonly account: AccountName;
  readonly authored_at: Instant;
}

/** What an explanation needs of other owners; whoever asks brings it. */
export interface ExplainSources {
  /** Undefined where the epoch is not known whole: no alert is declared then, and none is invented. */
  alertAfter(basis: PolicyBasis): Promise<AlertTimes | undefined>;
  /** How many attempts the epoch allows an effect; undefined where it is not known whole. */
  attemptsMax(basis: PolicyBasis): Promise<number | undefined>;
  /** Undefined: the Runtime never accepted it. */
  handover(commandId: CommandId): Promise<Handover | undefined>;
  /** Undefined: control never authored it. */
  authored(generationId: CredentialGenerationId): Promise<AuthoredCredential | undefined>;
}
