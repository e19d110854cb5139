import { Digest } from '@connector/kernel/digest';
import { Fault, RetryableFault } from '@connector/kernel/faults';
import { CommandId } from '@connector/kernel/ids';
import type { Awaiting } from '@connector/connector/reads/execution/awaiting';
import type { Submission } from '@connector/connector/reads/execution/submission';
import type { RuntimeReceipt } from '@connector/connector/transitions/execution/record-results.tx';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { commitReceipt } from '@connector/runtime/model/documents';

export type Submitted = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly status: number };

export type Answered =
  | { readonly kind: 'absent' }
  | { readonly kind: 'receipt'; readonly receipt: RuntimeReceipt }
  /** An answer whose receipt does not say what the answer says: it proves nothing (con:RREC-P). */
  | { readonly kind: 'receipt-broken'; readonly awaiting: Awaiting };

const ACCEPTED = 202;

/** The claimant's side of the Runtime's contract. */
export class RuntimeClient {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** Hands one command over; a fault may hide an acceptance, and so the same command is submitted again under the same id. */
  async submit(submission: Submission): Promise<Submitted> {
    const { status } = await this.#client.call('POST', '/v1/commands', bodyOf(submission));
    return status === ACCEPTED ? { kind: 'accepted' } : { kind: 'refused', status };
  }

  /** An answer for each, in order. */
  async results(awaiting: readonly Awaiting[]): Promise<readonly Answered[]> {
    const commands = awaiting.map(({ commandId, executionRefDigest }) => ({
      command_id: commandId,
      execution_ref_digest: executionRefDigest,
    }));
    const { status, body } = await this.#client.call('POST', '/v1/results/query', { commands });
    const results = status === 200 ? listOf(body) : undefined;
    if (results?.length !== awaiting.length) throw unreadable(`status ${status}, ${results?.length ?? 'no'} results`);
    return awaiting.map((one, index) => answered(one, results[index]));
  }
}

function bodyOf(submission: Submission): object {
  return {
    command_id: submission.commandId,
    account: submission.account,
    execution_ref_digest: submission.executionRefDigest,
    execution_id: submission.executionId,
    epoch_id: submission.epochId,
    epoch_digest: submission.epochDigest,
    pack_generation_storage_id: submission.packGenerationStorageId,
    kind: submission.kind,
    business_key: submission.businessKey,
    definition_version: submission.definitionVersion,
    input_base64: submission.input.toString('base64'),
    input_digest: submission.inputDigest,
  };
}

function answered(awaiting: Awaiting, result: unknown): Answered {
  if (member(result, 'command_id') !== awaiting.commandId) throw unreadable('another command than was asked for');
  if (member(result, 'found') !== true) return { kind: 'absent' };
  const receipt = receiptOf(awaiting, result);
  return receipt === undefined ? { kind: 'receipt-broken', awaiting } : { kind: 'receipt', receipt };
}

/** The owner's receipt, byte for byte; undefined unless it names exactly this command, ref and result under its own digest. */
function receiptOf(awaiting: Awaiting, result: unknown): RuntimeReceipt | undefined {
  try {
    const bytes = Buffer.from(textOf(result, 'commit_receipt_base64'), 'base64');
    const { value, digest } = commitReceipt.parse(bytes);
    const resultDigest = Digest.parse(textOf(result, 'result_digest'));
    const exact =
      digest === textOf(result, 'commit_receipt_digest') &&
      value.command_id === CommandId.bytes(awaiting.commandId).toString('hex') &&
      value.execution_ref_digest === awaiting.executionRefDigest &&
      value.result_digest === resultDigest;
    return exact ? { ...awaiting, resultDigest, commitReceipt: bytes, commitReceiptDigest: digest } : undefined;
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined;
    throw thrown;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const text = member(value, name);
  if (typeof text !== 'string') throw unreadable(`no ${name}`);
  return text;
}

function listOf(body: unknown): readonly unknown[] | undefined {
  const results = member(body, 'results');
  return Array.isArray(results) ? results : undefined;
}

/** Another release of Runtime may answer so; asking again is all that helps. */
function unreadable(detail: string): RetryableFault {
  return new RetryableFault('HOUSE:execution-claimant:AnswerUnreadable', detail);
}
