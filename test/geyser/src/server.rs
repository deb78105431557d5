//! The readers' side: each stream gets what its filters want.

use std::{net::TcpListener, pin::Pin, sync::Arc, time::Duration, time::SystemTime};

use tokio::{
    select,
    sync::{
        broadcast::{self, error::RecvError},
        mpsc,
    },
    time::interval,
};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};
use yellowstone_grpc_proto::{
    geyser::{
        GetBlockHeightRequest, GetBlockHeightResponse, GetLatestBlockhashRequest,
        GetLatestBlockhashResponse, GetSlotRequest, GetSlotResponse, GetVersionRequest,
        GetVersionResponse, IsBlockhashValidRequest, IsBlockhashValidResponse, PingRequest,
        PongResponse, SubscribeDeshredRequest, SubscribeGossipRequest, SubscribeReplayInfoRequest,
        SubscribeReplayInfoResponse, SubscribeRequest, SubscribeUpdate, SubscribeUpdateDeshred,
        SubscribeUpdateGossip, SubscribeUpdatePing, SubscribeUpdatePong,
        geyser_server::{Geyser, GeyserServer},
        subscribe_update::UpdateOneof,
    },
    prost_types::Timestamp,
};

use crate::{filters::Filters, held::HeldNotices};

/// Messages that a stream may be behind the chain before it is ended: some seconds of a busy one.
pub(crate) const BEHIND_MAX: usize = 16_384;
/// Messages that wait for one socket.
const WAITING_MAX: usize = 256;
/// Time between two pings of this server, which keep a quiet stream open.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// A message and when the chain reported it.
pub(crate) struct Notice {
    pub(crate) update: UpdateOneof,
    created_at: Timestamp,
}

/// Takes what the chain reports to all streams.
#[derive(Clone)]
pub(crate) struct Hub {
    notices: broadcast::Sender<Arc<Notice>>,
}

impl Default for Hub {
    fn default() -> Self {
        Self { notices: broadcast::Sender::new(BEHIND_MAX) }
    }
}

impl Hub {
    /// Sends a message to the streams that want it. It never waits for them.
    pub(crate) fn send(&self, update: UpdateOneof) {
        let notice = Notice { update, created_at: Timestamp::from(SystemTime::now()) };
        // It fails when there is no stream, which is no error.
        drop(self.notices.send(Arc::new(notice)));
    }

    /// Serves until its runtime ends.
    pub(crate) async fn serve(self, listener: TcpListener) {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let service = GeyserServer::new(self);
        // An error here is one of the listener: readers see that they are not served.
        drop(Server::builder().add_service(service).serve_with_incoming(incoming).await);
    }
}

type Updates = Pin<Box<dyn Stream<Item = Result<SubscribeUpdate, Status>> + Send>>;

#[tonic::async_trait]
impl Geyser for Hub {
    type SubscribeStream = Updates;
    type SubscribeDeshredStream =
        Pin<Box<dyn Stream<Item = Result<SubscribeUpdateDeshred, Status>> + Send>>;
    type SubscribeGossipStream =
        Pin<Box<dyn Stream<Item = Result<SubscribeUpdateGossip, Status>> + Send>>;

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Updates>, Status> {
        let (updates, waiting) = mpsc::channel(WAITING_MAX);
        let notices = self.notices.subscribe();
        tokio::spawn(serve_stream(request.into_inner(), notices, updates));
        Ok(Response::new(Box::pin(ReceiverStream::new(waiting))))
    }

    async fn ping(&self, request: Request<PingRequest>) -> Result<Response<PongResponse>, Status> {
        Ok(Response::new(PongResponse { count: request.into_inner().count }))
    }

    async fn subscribe_deshred(
        &self,
        _: Request<Streaming<SubscribeDeshredRequest>>,
    ) -> Result<Response<Self::SubscribeDeshredStream>, Status> {
        Err(not_served())
    }

    async fn subscribe_gossip(
        &self,
        _: Request<SubscribeGossipRequest>,
    ) -> Result<Response<Self::SubscribeGossipStream>, Status> {
        Err(not_served())
    }

    async fn subscribe_replay_info(
        &self,
        _: Request<SubscribeReplayInfoRequest>,
    ) -> Result<Response<SubscribeReplayInfoResponse>, Status> {
        Err(not_served())
    }

    async fn get_latest_blockhash(
        &self,
        _: Request<GetLatestBlockhashRequest>,
    ) -> Result<Response<GetLatestBlockhashResponse>, Status> {
        Err(not_served())
    }

    async fn get_block_height(
        &self,
        _: Request<GetBlockHeightRequest>,
    ) -> Result<Response<GetBlockHeightResponse>, Status> {
        Err(not_served())
    }

    async fn get_slot(
        &self,
        _: Request<GetSlotRequest>,
    ) -> Result<Response<GetSlotResponse>, Status> {
        Err(not_served())
    }

    async fn is_blockhash_valid(
        &self,
        _: Request<IsBlockhashValidRequest>,
    ) -> Result<Response<IsBlockhashValidResponse>, Status> {
        Err(not_served())
    }

    async fn get_version(
        &self,
        _: Request<GetVersionRequest>,
    ) -> Result<Response<GetVersionResponse>, Status> {
        Err(not_served())
    }
}

fn not_served() -> Status {
    Status::unimplemented("the RPC of the chain has this")
}

/// Serves one stream until its reader leaves, asks for what is not served, or is too slow.
async fn serve_stream(
    mut requests: Streaming<SubscribeRequest>,
    mut notices: broadcast::Receiver<Arc<Notice>>,
    updates: mpsc::Sender<Result<SubscribeUpdate, Status>>,
) {
    let mut filters = Filters::default();
    let mut held = HeldNotices::default();
    let mut pings = interval(PING_INTERVAL);
    loop {
        let messages = select! {
            request = requests.message() => match request {
                Ok(Some(request)) => take_request(request, &mut filters).into_iter().collect(),
                Ok(None) | Err(_) => return,
            },
            notice = notices.recv() => match notice {
                Ok(notice) if filters.confirmed => match held.take_due(notice) {
                    Ok(due) => due.iter().filter_map(|one| wanted_update(one, &filters)).collect(),
                    Err(status) => vec![Err(status)],
                },
                Ok(notice) => wanted_update(&notice, &filters).into_iter().collect(),
                Err(RecvError::Lagged(count)) => {
                    vec![Err(Status::data_loss(format!("the reader was {count} messages behind")))]
                }
                Err(RecvError::Closed) => return,
            },
            _ = pings.tick() => vec![Ok(update_of(UpdateOneof::Ping(SubscribeUpdatePing {})))],
        };
        for message in messages {
            let is_last = message.is_err();
            if updates.send(message).await.is_err() || is_last {
                return;
            }
        }
    }
}

/// A ping is returned and leaves the filters as they are; any other request replaces them.
fn take_request(
    request: SubscribeRequest,
    filters: &mut Filters,
) -> Option<Result<SubscribeUpdate, Status>> {
    if let Some(ping) = request.ping {
        let pong = SubscribeUpdatePong { id: ping.id };
        return Some(Ok(update_of(UpdateOneof::Pong(pong))));
    }
    match Filters::read(request) {
        Ok(read) => {
            *filters = read;
            None
        }
        Err(status) => Some(Err(status)),
    }
}

fn wanted_update(notice: &Notice, filters: &Filters) -> Option<Result<SubscribeUpdate, Status>> {
    let names = filters.names_for(&notice.update);
    let is_wanted = !names.is_empty();
    is_wanted.then(|| {
        Ok(SubscribeUpdate {
            filters: names,
            update_oneof: Some(notice.update.clone()),
            created_at: Some(notice.created_at),
        })
    })
}

fn update_of(update: UpdateOneof) -> SubscribeUpdate {
    let created_at = Some(Timestamp::from(SystemTime::now()));
    SubscribeUpdate { filters: Vec::new(), update_oneof: Some(update), created_at }
}
