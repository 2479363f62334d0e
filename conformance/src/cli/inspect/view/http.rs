//! A small HTTP server for one page on the loopback interface: `GET` of known paths, nothing else.
//!
//! A request has to name this server in `Host`, so that a name that some page points at the loopback interface reaches
//! nothing, and must not come from another origin. Heads are bounded in size and time, connections in number.

use crate::inspect::page::{Answer, Request};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Largest head of a request in bytes.
const MOST_HEAD: usize = 8 << 10;
/// Time for a request to arrive, and for a write to make progress.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections at once; further ones are closed.
const MOST_CONNECTIONS: usize = 32;

const FORBIDDEN: &str = "403 Forbidden";
/// What the browser may do with the page: load its own files, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Response {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
}

impl Response {
    /// A file.
    pub(super) fn file(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: "200 OK", kind, body: body.into() }
    }

    /// An error, in words where the status does not say what to do.
    fn error(status: &'static str, port: u16) -> Self {
        let more = match status {
            FORBIDDEN => format!(
                "\n\nThis page is at http://127.0.0.1:{port}/ and http://localhost:{port}/, and answers to no other \
                 address.\nA tunnel needs the same port on both sides: picaflor view CAPTURE --port {port}, and ssh -L \
                 {port}:localhost:{port}\n"
            ),
            _ => String::new(),
        };
        let body = format!("{status}{more}").into_bytes();
        Self { status, kind: "text/plain; charset=utf-8", body }
    }

    fn write(&self, mut to: impl Write) -> io::Result<()> {
        write!(
            to,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nContent-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        )?;
        to.write_all(&self.body)?;
        to.flush()
    }
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Bytes(body) => Self::file("application/octet-stream", body),
            Answer::Json(value) => Self::file("application/json", value.to_string()),
            Answer::Refused(_) => {
                Self { status: "404 Not Found", ..Self::file("application/json", answer.into_bytes()) }
            }
        }
    }
}

/// A server that listens.
pub(super) struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on the loopback interface; port 0 is any free one.
    pub(super) fn new(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address of the page.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers requests until the process ends, or for so many connections.
    pub(super) fn run(
        &self,
        most: Option<usize>,
        answer: Arc<dyn Fn(&Request) -> Response + Send + Sync>,
    ) -> io::Result<()> {
        let open = Arc::new(AtomicUsize::new(0));
        for (number, stream) in self.listener.incoming().enumerate() {
            let stream = stream?;
            if open.fetch_add(1, Ordering::Relaxed) < MOST_CONNECTIONS {
                let (answer, open, port) = (answer.clone(), Open(open.clone()), self.address.port());
                std::thread::spawn(move || {
                    // A browser that goes away is no error.
                    let _ = serve(&stream, port, &*answer);
                    drop(open);
                });
            } else {
                open.fetch_sub(1, Ordering::Relaxed);
            }
            if most.is_some_and(|most| number + 1 >= most) {
                break;
            }
        }
        Ok(())
    }
}

/// One of the open connections; also one whose answer panics ends.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(stream: &TcpStream, port: u16, answer: &dyn Fn(&Request) -> Response) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let response = match head(stream)? {
        Some(head) => match parse(&head, port) {
            Ok(request) => answer(&request),
            Err(status) => Response::error(status, port),
        },
        None => Response::error("431 Request Header Fields Too Large", port),
    };
    response.write(stream)
}

/// The head of a request; `None` if it is too long or does not end in time.
fn head(mut stream: &TcpStream) -> io::Result<Option<String>> {
    let (start, mut head) = (Instant::now(), Vec::new());
    let mut part = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part)?;
        if count == 0 || head.len() + count > MOST_HEAD || start.elapsed() > PATIENCE {
            return Ok(None);
        }
        head.extend_from_slice(&part[..count]);
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

/// The request of a head; an error is its status.
fn parse(head: &str, port: u16) -> Result<Request, &'static str> {
    let mut lines = head.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let &[method, target, version] = first.as_slice() else { return Err("400 Bad Request") };
    if !version.starts_with("HTTP/1.") {
        return Err("505 HTTP Version Not Supported");
    }
    if method != "GET" {
        return Err("405 Method Not Allowed");
    }
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let values =
        |name: &'static str| headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| *value);
    let hosts: Vec<&str> = values("host").collect();
    if !matches!(hosts[..], [host] if own.iter().any(|own| own == host)) {
        return Err(FORBIDDEN);
    }
    let is_own =
        |origin: &str| origin.strip_prefix("http://").is_some_and(|host| own.iter().any(|own| own == host));
    if values("origin").any(|origin| !is_own(origin))
        || values("sec-fetch-site").any(|site| !matches!(site, "same-origin" | "none"))
    {
        return Err(FORBIDDEN);
    }
    Request::parse(target).ok_or("400 Bad Request")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(head: &str) -> Result<Request, &'static str> {
        parse(head, 80)
    }

    #[test]
    fn requests() {
        let request =
            parsed("GET /api/draw?n=5&what=a%20b HTTP/1.1\r\nHost: localhost:80\r\n\r\n").expect("sound");
        assert_eq!(
            (request.path.as_str(), request.number("n"), request.get("what")),
            ("/api/draw", Some(5), Some("a b"))
        );
        assert_eq!(request.get("other"), None);
    }

    #[test]
    fn other_hosts_and_origins_are_refused() {
        let get = |more: &str| parsed(&format!("GET / HTTP/1.1\r\n{more}\r\n")).err();
        assert_eq!(get("Host: 127.0.0.1:80\r\n"), None);
        assert_eq!(
            get("host: 127.0.0.1:80\r\nOrigin: http://localhost:80\r\nSec-Fetch-Site: same-origin\r\n"),
            None
        );
        for wrong in [
            "",
            "Host: evil.example\r\n",
            "Host: 127.0.0.1:81\r\n",
            "Host: 127.0.0.1:80\r\nHost: evil.example\r\n",
            "Host: 127.0.0.1:80\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:80\r\nOrigin: null\r\n",
            "Host: 127.0.0.1:80\r\nSec-Fetch-Site: cross-site\r\n",
        ] {
            assert_eq!(get(wrong), Some("403 Forbidden"), "{wrong}");
        }
    }

    /// Behind a tunnel the port of the browser may be another one.
    #[test]
    fn a_refusal_names_the_address() {
        let body = String::from_utf8(Response::error(FORBIDDEN, 8000).body).expect("UTF-8");
        assert!(body.starts_with("403 Forbidden\n") && body.contains("http://127.0.0.1:8000/"), "{body}");
        assert!(body.contains("--port 8000"), "{body}");
        assert_eq!(Response::error("400 Bad Request", 8000).body, b"400 Bad Request");
    }

    #[test]
    fn damaged_requests() {
        let host = "Host: 127.0.0.1:80\r\n\r\n";
        let first = |line: &str| parsed(&format!("{line}\r\n{host}")).err();
        assert_eq!(first("POST / HTTP/1.1"), Some("405 Method Not Allowed"));
        assert_eq!(first("GET /"), Some("400 Bad Request"));
        assert_eq!(first("GET http://x/ HTTP/1.1"), Some("400 Bad Request"));
        assert_eq!(first("GET /%zz HTTP/1.1"), Some("400 Bad Request"));
        assert_eq!(first("GET / HTTP/2"), Some("505 HTTP Version Not Supported"));
    }

    #[test]
    fn a_panic_ends_one_connection() {
        let server = Server::new(0).expect("a port");
        let host = server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let answer = Arc::new(|request: &Request| {
            assert!(request.path != "/bad", "an answer of this test");
            Response::file("text/plain", "fine")
        });
        std::thread::spawn(move || server.run(None, answer));
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(&host).expect("it listens");
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            answer
        };
        assert!((0..MOST_CONNECTIONS).all(|_| ask("/bad").is_empty()));
        // The last of them may still be counted for a moment.
        assert!((0..100).any(|_| ask("/good").ends_with("fine")));
    }

    #[test]
    fn over_the_wire() {
        let server = Server::new(0).expect("a port");
        let url = server.url();
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let answer = Arc::new(|request: &Request| Response::file("text/plain", request.path.clone()));
        let thread = std::thread::spawn(move || server.run(Some(2), answer));
        let ask = |text: String| -> io::Result<String> {
            let mut stream = TcpStream::connect(&host)?;
            stream.write_all(text.as_bytes())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = ask(format!("GET /here HTTP/1.1\r\nHost: {host}\r\n\r\n")).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n/here"), "{answer}");
        assert!(answer.contains("Content-Security-Policy: default-src 'none'"));
        // The connection may be gone before all of it is sent.
        let long = ask(format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "x".repeat(2 * MOST_HEAD)));
        assert!(long.is_err() || long.is_ok_and(|answer| answer.starts_with("HTTP/1.1 431")));
        thread.join().expect("no panic").expect("no error");
    }
}
