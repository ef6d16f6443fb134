// Calls Start before it listens: a match rule alone hears nothing, since the service tells each app alone.
// SPDX-License-Identifier: Apache-2.0
//
// Build: moc client.cpp -o client.moc
//        c++ -fPIC -o client client.cpp $(pkg-config --cflags --libs Qt5DBus)
// The system bus, or the one in DBUS_SYSTEM_BUS_ADDRESS.

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusServiceWatcher>
#include <QTextStream>
#include <QVariantMap>

static const QString name = QStringLiteral("org.example.NetworkAccessibility");
static const QString path = QStringLiteral("/org/example/NetworkAccessibility");

class Client : public QObject {
    Q_OBJECT

public:
    Client() {
        auto bus = QDBusConnection::systemBus();
        bus.connect(name, path, name, "StateChanged", this, SLOT(told(QString, bool, QString, QVariantMap)));
        // A service that has been started again knows nothing of those who listened to the one before.
        auto watcher = new QDBusServiceWatcher(name, bus, QDBusServiceWatcher::WatchForRegistration, this);
        connect(watcher, &QDBusServiceWatcher::serviceRegistered, this, &Client::start);
        start();
    }

private slots:
    void start() {
        auto call = QDBusConnection::systemBus().asyncCall(QDBusMessage::createMethodCall(name, path, name, "Start"));
        auto watcher = new QDBusPendingCallWatcher(call, this);
        connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
            QDBusPendingReply<QString, bool, QString, QVariantMap> reply = *watcher;
            watcher->deleteLater();
            if (reply.isError()) QTextStream(stderr) << reply.error().message() << "\n";
            else told(reply.argumentAt<0>(), reply.argumentAt<1>(), reply.argumentAt<2>(), reply.argumentAt<3>());
        });
    }

    void told(const QString &state, bool reachable, const QString &reason, const QVariantMap &details) {
        QTextStream(stdout) << state << (reachable ? " reachable " : " not reachable ") << reason << " "
                            << details["Transport"].toString() << "\n";
    }
};

int main(int argc, char **argv) {
    QCoreApplication app(argc, argv);
    Client client;
    return app.exec();
}

#include "client.moc"
