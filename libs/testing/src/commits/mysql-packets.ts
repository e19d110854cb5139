/** Three bytes of length, little-endian, and one of sequence stand before every packet. */
const HEADER = 4;
const COM_QUERY = 0x03;
const OK = 0x00;
const ERROR = 0xff;
const SQL_STATE = 'HY000';

export interface MysqlPacket {
  /** A command is 0, everything else of its exchange counts on; so do the packets of one that is longer than 16 MiB. */
  readonly sequence: number;
  readonly payload: Buffer;
  /** Header and payload as they came. */
  readonly bytes: Buffer;
}

/** Cuts one direction of a plain connection (no TLS, no compression) into packets, however its bytes are split over the reads. */
export class MysqlPackets {
  #held: Buffer[] = [];
  #size = 0;

  /** The packets that this chunk completes, in order. */
  push(chunk: Buffer): readonly MysqlPacket[] {
    this.#held.push(chunk);
    this.#size += chunk.length;
    const packets: MysqlPacket[] = [];
    for (let next = this.#take(); next !== undefined; next = this.#take()) packets.push(next);
    return packets;
  }

  #take(): MysqlPacket | undefined {
    if (this.#size < HEADER) return undefined;
    // The header may be split as well; joined once a packet, not once a chunk, so that a long one is not copied again and again.
    if ((this.#held[0] as Buffer).length < HEADER) this.#held = [Buffer.concat(this.#held)];
    const whole = HEADER + (this.#held[0] as Buffer).readUIntLE(0, 3);
    if (this.#size < whole) return undefined;
    const all = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    const bytes = all.subarray(0, whole);
    this.#held = all.length > whole ? [all.subarray(whole)] : [];
    this.#size -= whole;
    return { sequence: bytes.readUInt8(3), payload: bytes.subarray(HEADER), bytes };
  }
}

/** The text of a COM_QUERY; undefined for any other packet, the continuation of a long one included. */
export function queryOf({ sequence, payload }: MysqlPacket): string | undefined {
  return sequence === 0 && payload[0] === COM_QUERY ? payload.toString('utf8', 1) : undefined;
}

export const saysOk = ({ payload }: MysqlPacket): boolean => payload[0] === OK;

export function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUIntLE(payload.length, 0, 3);
  header.writeUInt8(sequence, 3);
  return Buffer.concat([header, payload]);
}

export const query = (text: string): Buffer => packet(0, Buffer.concat([Buffer.of(COM_QUERY), Buffer.from(text, 'utf8')]));

/** The answer to a command that failed with this error number. */
export function errorAnswer(errno: number, message: string): Buffer {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(errno);
  return packet(1, Buffer.concat([Buffer.of(ERROR), number, Buffer.from(`#${SQL_STATE}${message}`, 'utf8')]));
}
