/** Apart from the client: what only reads the configuration does not load it. */
export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

/** How brokers are reached. The password is of a file and is written down nowhere. */
export interface KafkaPlace {
  /** `host:port`, 1..32. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Absent: no TLS. Without a certificate of an authority of one's own the system's are taken. */
  readonly tls?: { readonly ca?: string };
  readonly sasl?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string };
}
