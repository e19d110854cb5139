/** A client of its own process that streams one endless request body, and exits with 7 when its connection breaks. */
const { request } = require('node:http');

const [port, host, token] = process.argv.slice(2);
const headers = { 'proxy-authorization': `Bearer ${token}`, 'transfer-encoding': 'chunked' };
const req = request({ host: '127.0.0.1', port, path: `http://${host}/`, method: 'POST', headers });
const chunk = Buffer.alloc(64, 0x78);

function pour() {
  if (req.write(chunk)) setImmediate(pour);
  else req.once('drain', pour);
}
req.on('error', () => process.exit(7));
pour();
