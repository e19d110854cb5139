/** Who acted, in audit rows of what this service does by itself. */
export const COORDINATOR = 'cutover-coordinator';

/** The part of a reply that is used here. */
export interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
