// The connection to the server for one page. It is made again when it is lost, until it is closed.
import type { Said, Told } from './messages';

/** Milliseconds between attempts. */
const WAITS = [250, 500, 1000, 2000, 4000];

export interface ConnectionEvents {
  /** The first message of a connection. */
  hello(): Said;
  onTold(told: Told): void;
  onLost(): void;
}

export class Connection {
  readonly #address: string;
  readonly #events: ConnectionEvents;
  #socket: WebSocket | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #isClosed = false;

  constructor(address: string, events: ConnectionEvents) {
    this.#address = address.replace(/^http/, 'ws');
    this.#events = events;
    this.#open();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #open(): void {
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    const isOurs = () => this.#socket === socket && !this.#isClosed;
    socket.addEventListener('open', () => {
      if (!isOurs()) return socket.close();
      this.send(this.#events.hello());
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (!isOurs()) return;
      const told = JSON.parse(data) as Told;
      // Who is refused waits longer before the next attempt.
      if (told.type !== 'refused') this.#attempts = 0;
      this.#events.onTold(told);
    });
    socket.addEventListener('close', () => {
      if (!isOurs()) return;
      this.#socket = null;
      this.#again = setTimeout(() => this.#open(), WAITS[Math.min(this.#attempts++, WAITS.length - 1)]);
      this.#events.onLost();
    });
  }

  send(said: Said): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(said));
  }

  /** Connects at once, with a new `hello` if it is connected. */
  reconnect(): void {
    if (this.#isClosed || this.#socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.#again);
    this.#drop();
    this.#open();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    // Browsers complain about a socket that is closed before it is open.
    if (socket?.readyState === WebSocket.OPEN) socket.close();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#drop();
  }
}
