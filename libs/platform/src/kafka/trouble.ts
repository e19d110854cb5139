import type { KafkaPlace } from './place';

/** Numbers of the protocol. */
const UNSUPPORTED_SASL_MECHANISM = 33;
const ILLEGAL_SASL_STATE = 34;

const UNKNOWN_AUTHORITY: readonly unknown[] = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/**
 * What is set up otherwise than the broker wants it: what was expected, what was found, what to do, for whoever set it up. Undefined for a
 * broker that is merely away. The client's own words say less, and where a password is missing it has none.
 */
export function setupTrouble(thrown: unknown, place: KafkaPlace): string | undefined {
  const { name, code, message } = firstCause(thrown);
  return ofPassword(name, code, place) ?? ofCertificate(code, message, place) ?? ofWay(name, message, place);
}

function ofPassword(name: string, code: unknown, { sasl }: KafkaPlace): string | undefined {
  const mechanism = sasl?.mechanism ?? '';
  if (code === UNSUPPORTED_SASL_MECHANISM)
    return `the broker does not know passwords by ${mechanism}; name a mechanism that it has in CONNECTOR_KAFKA_SASL`;
  if (code === ILLEGAL_SASL_STATE)
    return `the broker asks for no password there, and CONNECTOR_KAFKA_SASL=${mechanism} sends one; name its other address, or leave CONNECTOR_KAFKA_SASL out`;
  if (name !== 'KafkaJSSASLAuthenticationError') return undefined;
  return `the broker refuses user ${sasl?.username ?? ''} with this password by ${mechanism}; look at CONNECTOR_KAFKA_USER and at what the file of CONNECTOR_KAFKA_PASSWORD_FILE holds`;
}

function ofCertificate(code: unknown, message: string, { tls }: KafkaPlace): string | undefined {
  if (UNKNOWN_AUTHORITY.includes(code)) {
    const trusted = tls?.ca === undefined ? 'this machine does not know' : 'is not in the file of CONNECTOR_KAFKA_CA_FILE';
    return `the broker's certificate is signed by an authority that ${trusted}; put that authority's certificate, as PEM, into the file of CONNECTOR_KAFKA_CA_FILE`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the broker's certificate is for another name (${message}); write its name in CONNECTOR_KAFKA_BROKERS as the certificate has it`;
  return code === 'CERT_HAS_EXPIRED' ? "the broker's certificate has expired; give the broker a new one" : undefined;
}

/** A broker that is spoken to in the wrong way says nothing and hangs up. */
function ofWay(name: string, message: string, { tls, sasl }: KafkaPlace): string | undefined {
  if (tls !== undefined && /before secure TLS connection|wrong version number|packet length too long/.test(message))
    return 'the broker does not answer in TLS, and CONNECTOR_KAFKA_TLS=on expects it; name its address for TLS in CONNECTOR_KAFKA_BROKERS';
  if (name !== 'KafkaJSConnectionClosedError') return undefined;
  const missing = [
    ...(tls === undefined ? ['TLS (CONNECTOR_KAFKA_TLS=on)'] : []),
    ...(sasl === undefined ? ['a password (CONNECTOR_KAFKA_SASL)'] : []),
  ];
  if (missing.length === 0) return undefined;
  return `the broker hangs up without a word; where it runs, it expects what is not set: ${missing.join(' or ')}`;
}

function firstCause(thrown: unknown): { readonly name: string; readonly code: unknown; readonly message: string } {
  if (!(thrown instanceof Error)) return { name: '', code: undefined, message: '' };
  if (thrown.cause instanceof Error) return firstCause(thrown.cause);
  const code: unknown = Reflect.get(thrown, 'code');
  return { name: thrown.name, code, message: thrown.message };
}
