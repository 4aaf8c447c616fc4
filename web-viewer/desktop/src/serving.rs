//! The servers of the open projects: the one of `ubp viewer`, on threads of this process, with the same checks at its door.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tauri::Url;
use ubp_cli::language::JAPANESE;
use ubp_cli::{Environment, ThisDesktop};
use ubp_core::progress::Cancel;
use ubp_core::render::url;
use ubp_core::{Error, Result};
use ubp_servers::mcp::Writing;
use ubp_servers::viewer::{self, Address, Options};

/// Servers by the folder of their project.
#[derive(Default)]
pub struct Servers(Mutex<HashMap<PathBuf, Server>>);

struct Server {
    address: Address,
    cancel: Cancel,
    thread: JoinHandle<Result<()>>,
}

impl Servers {
    /// The address of a project's server, which is started if there is none.
    ///
    /// # Errors
    /// Those of [`viewer::run`].
    pub fn address(
        &self,
        root: &Path,
        port: Option<u16>,
        web_app: Option<PathBuf>,
        environment: &Environment,
    ) -> Result<Address> {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = servers.get(root).filter(|server| !server.thread.is_finished()) {
            return Ok(server.address.clone());
        }
        let options = Options {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: port.filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()),
            allow_host: Vec::new(),
            token: None,
            write: Writing::No,
            web_app,
            languages: vec![JAPANESE],
            desktop: Some(Arc::new(ThisDesktop(environment.clone()))),
            share: None,
        };
        let cancel = Cancel::default();
        let (sender, receiver) = mpsc::channel();
        let (root, folder, environment, asked) =
            (root.to_owned(), root.to_owned(), environment.clone(), cancel.clone());
        let thread = std::thread::spawn(move || {
            // The pages show problems of the project themselves.
            viewer::run(&folder, &options, &environment, Arc::new(|_| ()), &asked, |address| {
                sender.send(address).map_err(|_| Error::Cancelled)
            })
        });
        match receiver.recv() {
            Ok(address) => {
                servers.insert(root, Server { address: address.clone(), cancel, thread });
                Ok(address)
            }
            Err(_) => match thread.join() {
                Ok(Err(error)) => Err(error),
                _ => Err(Error::Internal("the server ended".into())),
            },
        }
    }

    /// Stops the servers of the projects that are not to be kept. Waits until they have stored what they acknowledged.
    pub fn stop(&self, keep: impl Fn(&Path) -> bool) {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ended: Vec<PathBuf> = servers.keys().filter(|root| !keep(root)).cloned().collect();
        let ended: Vec<Server> = ended.iter().filter_map(|root| servers.remove(root)).collect();
        for server in &ended {
            server.cancel.request();
        }
        for server in ended {
            let _ = server.thread.join();
        }
    }
}

/// The address that lets a browser in, at a path; at the first page of the project with `None`.
pub fn entry(address: &Address, path: Option<&str>) -> Option<Url> {
    let mut entry = Url::parse(&address.url).ok()?;
    entry.set_path(path.unwrap_or("/"));
    Some(entry)
}

/// The path of a page in addresses.
pub fn path_of(page: &str) -> String {
    let file = url::page_file(page, &[]);
    format!(
        "/{}",
        url::encoded(file.strip_suffix(url::HOME).filter(|folder| folder.is_empty()).unwrap_or(&file))
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_address_of_the_viewer() {
        let address = Address {
            url: "http://127.0.0.1:4747/?token=abc".into(),
            frame: String::new(),
            token: "abc".into(),
            port: 4747,
            shared: None,
        };
        let told = |page: Option<&str>| entry(&address, page.map(path_of).as_deref()).unwrap().to_string();
        assert_eq!(told(None), "http://127.0.0.1:4747/?token=abc");
        assert_eq!(told(Some("a/b c.md")), "http://127.0.0.1:4747/a/b%20c.html?token=abc");
        assert_eq!(told(Some("日.md")), "http://127.0.0.1:4747/%E6%97%A5.html?token=abc");
        assert_eq!(told(Some("index.md")), "http://127.0.0.1:4747/?token=abc");
        assert_eq!(told(Some("a?token=x#b.md")), "http://127.0.0.1:4747/a%3Ftoken%3Dx%23b.html?token=abc");
    }
}
