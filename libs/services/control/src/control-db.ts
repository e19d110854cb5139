/** The token of the one pool of this service. */
export const CONTROL_DB = Symbol('control-db');
export const CONTROL_WAKE = Symbol('control-wake');

/** The part of a reply that is used here. */
export interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
