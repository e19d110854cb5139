import type { CommandId, ExecutionId } from '@connector/kernel/ids';
import { routePolicyDigest } from '@connector/connector/model/digests/policy';
import { REQUEST_BYTES_MAX, REQUESTS_BYTES_MAX, type CommandIntent } from '@connector/runtime/model/application';
import {
  authorCommand,
  effectOf,
  type AuthoredCommand,
  type Authorship,
  type FrozenEffect,
} from '@connector/runtime/model/authored-command';
import type { AccountView, EpochView, PushView } from '@connector/services/epoch-view/src/epoch-view';
import { demand, Refused } from './refusal';

/** Whose intents they are. */
export interface Origin {
  readonly commandId: CommandId;
  readonly executionId: ExecutionId;
}

/**
 * Every intent as a complete command, in order, from what the epoch froze and from nowhere else (con:OAU-W, con:INV-06). Pure: the same
 * intents under the same epoch are the same bytes. The application scope is the epoch's, never an answer's (con:OPEN-53).
 */
export function authorCommands(view: EpochView, origin: Origin, intents: readonly CommandIntent[]): readonly AuthoredCommand[] {
  const commands = intents.map((intent) => authorOne(view, origin, intent));
  const bytes = commands.map(({ request }) => request.length);
  const longest = Math.max(0, ...bytes);
  demand(longest <= REQUEST_BYTES_MAX, 'request-too-large', `one of ${longest} bytes, at most ${REQUEST_BYTES_MAX}`);
  const sum = bytes.reduce((total, one) => total + one, 0);
  demand(sum <= REQUESTS_BYTES_MAX, 'request-too-large', `together ${sum} bytes, at most ${REQUESTS_BYTES_MAX}`);
  return commands;
}

function authorOne(view: EpochView, origin: Origin, intent: CommandIntent): AuthoredCommand {
  const account = view.account(intent.account);
  demand(account !== undefined, 'account-unknown', 'the epoch has no such account');
  const push = view.push(intent.effect);
  demand(push !== undefined, 'effect-unknown', 'the epoch has no such push contract');
  demand(push.push.intent === intent.intent, 'intent-not-authored', `${push.businessKey} is for ${push.push.intent}`);
  // con:OAU-P: a slot is authored in metadata; a handler that could make one up could make a second effect of one intent.
  demand(push.push.slot === intent.slot, 'slot-not-authored', `${push.businessKey} has the slot ${push.push.slot}`);
  const authorship = { scope: view.scope, ...origin, account: account.account, intent: intent.intent, slot: intent.slot };
  const providerKey = providerKeyOf(push, authorship);
  const request = push.push.request(intent.input, providerKey);
  if (request.kind === 'refused') throw new Refused('push-refused', `${push.businessKey}: ${request.code}: ${request.message}`);
  return authorCommand(authorship, frozen(view, account, push), request);
}

/** con:IDN-13: exactly one where the frozen profile honours keys, the same for every attempt; else explicitly none. */
function providerKeyOf({ callout }: PushView, authorship: Authorship): string | null {
  return callout.idempotency === null ? null : effectOf(authorship).effect.id;
}

function frozen(view: EpochView, account: AccountView, push: PushView): FrozenEffect {
  const credentialGenerationId = account.credential(push.callout.credentialRef);
  demand(credentialGenerationId !== undefined, 'credential-unknown', `the account has no credential for ${push.callout.credentialRef}`);
  return {
    epochId: view.epochId,
    epochDigest: view.epochDigest,
    packGenerationStorageId: push.packGenerationStorageId,
    packPayloadDigest: push.packPayloadDigest,
    effectDefinition: push.businessKey,
    definitionVersion: push.definitionVersion,
    routePolicyDigest: routePolicyDigest(push.identity, account.account, account.policies).digest,
    configurationId: view.configurationId,
    configurationDigest: view.configurationDigest,
    credentialGenerationId,
  };
}
