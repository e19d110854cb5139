import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { DefectFault, invariant } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';

const CLOSE_MS_MAX = 5_000;

/** One start of one adapter: may it send, and over which sockets does it? */
export interface Generation {
  readonly id: GenerationId;
  withdrawn: boolean;
  readonly sockets: Set<Socket>;
}

/**
 * The tokens of the generations. A generation that was withdrawn stays in the table for good: its isolation receipt may
 * have been written, so no later call may let it in again. It grows by one entry for each start of an adapter.
 */
export class Generations {
  private readonly byId = new Map<GenerationId, Generation>();
  private readonly byToken = new Map<string, Generation>();

  admit(token: string, id: GenerationId): void {
    invariant(token.length >= 16, 'HOUSE:platform:EgressTokenTooShort', 'a token has at least 16 characters');
    const generation = this.byId.get(id) ?? this.born(id);
    invariant(!generation.withdrawn, 'HOUSE:platform:GenerationWithdrawn', `${id} was withdrawn and is never admitted again`);
    const holder = this.byToken.get(digestOf(token));
    invariant(holder === undefined || holder === generation, 'HOUSE:platform:EgressTokenShared', 'two generations have one token');
    this.byToken.set(digestOf(token), generation);
  }

  /** By digest, so that the time of the search says nothing about a token. */
  holderOf(token: string): Generation | undefined {
    return this.byToken.get(digestOf(token));
  }

  hold(generation: Generation, socket: Socket): void {
    if (generation.withdrawn) socket.destroy();
    if (generation.sockets.has(socket) || socket.closed) return;
    generation.sockets.add(socket);
    socket.once('close', () => generation.sockets.delete(socket));
  }

  /** Resolves when no socket of the generation is left; until then nothing may be said about it. Again: the same. */
  async withdraw(id: GenerationId): Promise<void> {
    const generation = this.byId.get(id) ?? this.born(id);
    generation.withdrawn = true;
    for (const [token, holder] of this.byToken) if (holder === generation) this.byToken.delete(token);
    await closed([...generation.sockets], id);
  }

  get ids(): readonly GenerationId[] {
    return [...this.byId.keys()];
  }

  private born(id: GenerationId): Generation {
    const generation: Generation = { id, withdrawn: false, sockets: new Set() };
    this.byId.set(id, generation);
    return generation;
  }
}

async function closed(sockets: readonly Socket[], id: GenerationId): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = new DefectFault('HOUSE:platform:EgressSocketStaysOpen', `sockets of ${id} are open after ${CLOSE_MS_MAX} ms`);
    timer = setTimeout(() => reject(fault), CLOSE_MS_MAX);
  });
  const all = sockets.map((socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())));
  for (const socket of sockets) socket.destroy();
  try {
    await Promise.race([Promise.all(all), late]);
  } finally {
    clearTimeout(timer);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
