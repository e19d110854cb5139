import { oneHeader, type HeaderList } from './header-list';
import { refused, type Refused } from './scheme';

const UNIX_SECONDS = /^[1-9][0-9]{0,14}$/;

/** The text of a signed time as it came, so that nothing is lost between the sender's digits and ours. `place`: where it stands, for people. */
export function signedTime(text: string, place: string): string | Refused {
  if (UNIX_SECONDS.test(text)) return text;
  return refused('timestamp-malformed', `${place} is Unix seconds as 1 to 15 decimal digits, without sign, point or leading zero`);
}

export function signedTimeIn(headers: HeaderList, name: string): string | Refused {
  const header = oneHeader(headers, name);
  if (header.kind === 'absent') return refused('timestamp-missing', `send the header ${name} with Unix seconds`);
  if (header.kind === 'doubled') return refused('timestamp-doubled', `send the header ${name} once`);
  return signedTime(header.value, name);
}
